"""Stops itself.  Harm: nobody notices that it will never answer."""

import os
import signal

from kit import Harmless

BRIEF = True

os.kill(os.getpid(), signal.SIGSTOP)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
