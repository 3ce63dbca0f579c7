"""Traces itself into a loop and empties the import system.  Harm: the child cannot fail in order."""

import sys

from kit import Harmless


def trace(frame, event, argument):
    while event == "return":
        pass
    return trace


sys.settrace(trace)
sys.setprofile(trace)
sys.modules.clear()
sys.path.clear()
sys.meta_path.clear()
sys.stdout = sys.stderr = sys.__stdout__ = None


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
