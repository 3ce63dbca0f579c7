"""Reads address nought with a handler that writes a report to every descriptor.  Harm: the report is taken for an
answer, or a core file is left."""

import ctypes
import faulthandler
import signal

from kit import Harmless

BRIEF = True

faulthandler.enable(file=3)
faulthandler.register(signal.SIGTERM, file=3, chain=True)
ctypes.string_at(0)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
