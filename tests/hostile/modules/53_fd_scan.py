"""Writes to every descriptor and closes all.  Harm: one of them belongs to the worker or the server."""

import os

from kit import Harmless

BRIEF = True

for descriptor in range(1024):
    try:
        os.write(descriptor, b"\x00\x00\x00\x02{}")
    except OSError:
        continue
os.closerange(0, 1024)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
