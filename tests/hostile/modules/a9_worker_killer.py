"""Its example kills the worker each time it can, the way a crash in a native library would.  Harm: the worker is
started for ever, models of others wait."""

import ctypes
import os
import signal

from kit import Harmless, attack, system_call

HARM = ("worker",)
attack("kill", lambda: os.kill(os.getppid(), signal.SIGSEGV))
attack("tgkill", lambda: system_call(234, os.getppid(), os.getppid(), 9))
ctypes.string_at(8)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
