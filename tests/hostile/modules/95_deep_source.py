"""Files beside it that are nested as deep as a parser can bear, and deeper.  Harm: the server or the worker, who read
them too, crash."""

from kit import Harmless

PLANT = {
    "minus.py": ("repeated", "x = ", "-", 100000, "1\n"),
    "brackets.py": ("repeated", "x = ", "[", 150, ""),
    "attributes.py": ("repeated", "x = a", ".a", 50000, "\n"),
    "calls.py": ("repeated", "x = f", "()", 20000, "\n"),
    "sums.py": ("repeated", "x = 1", "+1", 100000, "\n"),
    "ands.py": ("repeated", "x = 1", " if 1 else 1", 20000, "\n"),
    "elifs.py": ("repeated", "if 1: pass\n", "elif 2: pass\n", 5000, ""),
    "lambdas.py": ("repeated", "x = ", "lambda: ", 20000, "1\n"),
    "blocks.py": ("repeated", "if 1: pass\n", "class C: pass\n", 30000, ""),
    "strings.py": ("repeated", "x = ", "f'{1}' ", 30000, "\n"),
    "long.py": ("repeated", "# ", "x", 4000000, "\nimport torch\n"),
    "nul.py": ("binary", "78203d203100786e"),
}
for name in PLANT:
    try:
        __import__(name[:-3])
    except BaseException as error:
        print(name, type(error))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
