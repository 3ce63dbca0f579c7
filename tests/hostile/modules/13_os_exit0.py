"""Ends its process with a status that looks like success.  Harm: the server waits for the answer."""

import os

from kit import Harmless

BRIEF = True

os._exit(0)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
