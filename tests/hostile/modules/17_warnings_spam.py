"""Warns 200 000 times.  Harm: the log of it swells the server or floods the editor."""

import warnings

from kit import Harmless

warnings.simplefilter("always")
for _ in range(200_000):
    warnings.warn("w" * 500, stacklevel=1)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
