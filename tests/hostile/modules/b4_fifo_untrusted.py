"""An untrusted workspace whose environment is made of pipes that nobody writes to.  Harm: the server reads
one, and waits for ever."""

from kit import Harmless

OWN = True
RUNS = False
TRUSTED = False
PLANT = {
    ".venv/bin/python": ("program", "#!/bin/sh\nexit 1\n"),
    ".venv/pyvenv.cfg": ("fifo",),
    ".venv/lib/python3.11/site-packages/evil.pth": ("fifo",),
    ".venv/lib/python3.11/site-packages/torch-9.dist-info/METADATA": ("fifo",),
    "venv/pyvenv.cfg": ("fifo",),
    ".gitignore": ("fifo",),
    "setup.cfg": ("fifo",),
    "README.md": ("fifo",),
}


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
