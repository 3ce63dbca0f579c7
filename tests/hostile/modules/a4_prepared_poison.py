"""A package whose files are made to be read by a worker that waits: changed between two looks, named to mislead.
Harm: what the worker prepares is run in it, or it dies."""

from kit import Harmless

PLANT = {
    "pack/__init__.py": "from . import one, two\n",
    "pack/one.py": ("repeated", "x = [", "(1, 'é', 0x1F, b'a'), ", 30000, "]\n"),
    "pack/two.py": "# -*- coding: rot13 -*-\nvzcbeg bf\n",
    "pack/three.py": "# -*- coding: unicode_escape -*-\nx = '\\x41'\n",
    "pack/four.py": ("binary", "efbbbf782022"),
    "pack/\nfive.py": "x = 1\n",
    "pack/__pycache__/one.cpython-311.pyc": ("binary", "a70d0d0a00000000ffffffffffffffffe3"),
}
MOVING = "pack/one.py"
try:
    import pack
except SyntaxError:
    pack = None


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
