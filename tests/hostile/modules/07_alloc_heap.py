"""Takes memory in pieces of a GiB.  Harm: it gets more than the limit of its workspace."""

from kit import Harmless, attack

HARM = ("memory",)
kept = []


def take():
    for number in range(100):
        kept.append(bytearray(b"x" * (1 << 30)))
        print("GiB", number + 1, flush=True)


attack("heap", take)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
