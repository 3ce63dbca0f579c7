"""Loops for ever while it is imported.  Harm: the deadline does not hold, or others wait for it."""

from kit import Harmless

while True:
    pass


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
