"""Sleeps for ever while it is imported.  Harm: the deadline counts only the processor's time."""

import time

from kit import Harmless

time.sleep(1e6)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
