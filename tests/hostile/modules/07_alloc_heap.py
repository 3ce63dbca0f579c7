"""Takes memory in pieces.  Harm: it gets more than the limit of its workspace."""

from kit import Harmless, attack

HARM = ("memory",)
kept = []


def take():
    for _ in range(32):
        kept.append(bytearray(b"x") * (1 << 26))
    return "2 GiB"


attack("heap", take)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
