"""Is good in its first run, and never ends in the next.  Harm: models of others wait, or are not answered any more."""

import os
import signal

from kit import Harmless, asked

STUDIED = 8.0

if asked():
    for number in range(1, 65):
        if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
            signal.signal(number, signal.SIG_IGN)
    while True:
        os.getpid()


# fx: Model()(f32[B:2, 8])
class Model(Harmless):
    pass
