"""Imports a file that changes all the time, in size and in content.  Harm: who reads it twice believes both."""

from kit import Harmless

PLANT = {"moving.py": "SIZE = 8\n"}
MOVING = "moving.py"
import moving  # noqa: E402, F401


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
