"""Imports a file of a terabyte, all of it a hole.  Harm: somebody reads it."""

from kit import Harmless

PLANT = {"huge.py": ("sparse", 1_099_511_627_776), "huge_too.py": ("sparse", 8_388_607)}
import huge_too  # noqa: E402, F401


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
