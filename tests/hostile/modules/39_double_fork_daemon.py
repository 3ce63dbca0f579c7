"""Leaves a daemon behind: two forks, a session of its own, no descriptor kept.  Harm: it runs on."""

import os
import time

from kit import Harmless, attack

BRIEF = True


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            time.sleep(600)
        os._exit(0)
    return "started"


attack("daemon", daemon)
time.sleep(0.3)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
