"""Imports a pipe that nobody writes to, and has more of them where sources are looked for.  Harm: the server waits for
ever."""

from kit import Harmless

PLANT = {
    "data.py": ("fifo",),
    "aaa.py": ("fifo",),
    "sub/__init__.py": ("fifo",),
    "README.md": ("fifo",),
    "train.py": ("fifo",),
}
import sub  # noqa: E402, F401


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
