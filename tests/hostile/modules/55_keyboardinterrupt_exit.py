"""Interrupts itself and leaves, with hooks broken.  Harm: the child goes without a word, the server waits."""

import signal
import sys

from kit import Harmless

sys.excepthook = None
signal.raise_signal(signal.SIGINT)
sys.exit(3)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
