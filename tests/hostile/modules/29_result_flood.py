"""Writes 10 GiB where the result is expected.  Harm: the worker or the server swells."""

import os

from kit import Harmless

for _ in range(10240):
    os.write(3, b"\x7f" * (1 << 20))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
