"""Is good in its first run; in the next ones it takes the memory, ends, or crashes.  Harm: the worker is started for
ever, and what the first run found is lost."""

import ctypes
import os

from kit import Harmless, asked

STUDIED = 8.0

if "naming" in asked():
    ctypes.string_at(8)
elif "costs" in asked():
    os._exit(0)
elif asked():
    held = [bytearray(1 << 24) for _ in range(10_000)]


# fx: Model()(f32[B:2, 8])
class Model(Harmless):
    pass
