"""Answers that it read files which take long to make ready, so that the worker makes them ready for the next run.
Harm: the worker is busy with them, or dies of them."""

import os

from kit import HOST, Harmless, answer, binding, reply, span

PLANT = {
    "heavy/lines.py": ("repeated", "", "x = 1\n", 42000, ""),
    "heavy/calls.py": ("repeated", "", "a = b = c(d)(e)(f)\n", 13500, ""),
    "heavy/dots.py": ("repeated", "x = a", ".a", 9000, "\n"),
    "heavy/sums.py": ("repeated", "x = 1", "+1", 120000, "\n"),
    "heavy/minus.py": ("repeated", "x = ", "-", 250000, "1\n"),
    "heavy/tuples.py": ("repeated", "x = ", "(", 199, ""),
    "heavy/functions.py": ("repeated", "", "def f(x, y): return x, y\n", 10000, ""),
    "heavy/strings.py": ("repeated", "x = ", "f'{a!r:>{b}}' ", 19000, "\n"),
    "heavy/power.py": ("repeated", "x = 2", "**9", 90, "\n"),
    "heavy/product.py": ("repeated", "x = ", "(1,) * 4000 + ", 18000, "()\n"),
}
FOLDER = f"{HOST}/strange/models/heavy"
names = sorted(os.listdir(FOLDER))
answer(reply(bindings=[binding(span(__file__))], files=[__file__, *(f"{FOLDER}/{name}" for name in names)]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
