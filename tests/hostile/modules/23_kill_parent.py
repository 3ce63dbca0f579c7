"""Kills its parent, or stops it.  Harm: the worker is gone."""

import os
import signal
import time

from kit import Harmless, attack

HARM = ("worker",)
attack("kill", lambda: os.kill(os.getppid(), signal.SIGKILL))
attack("stop", lambda: os.kill(os.getppid(), signal.SIGSTOP))
time.sleep(0.3)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
