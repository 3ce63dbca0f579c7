"""Holds the interpreter in one call that Python cannot interrupt.  Harm: the deadline needs its help."""

import re

from kit import Harmless

re.match(r"(a+)+$", "a" * 60 + "b")


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
