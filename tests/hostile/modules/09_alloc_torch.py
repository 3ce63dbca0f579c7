"""Takes memory through torch's own allocator.  Harm: it gets more than the limit of its workspace."""

import torch
from kit import Harmless, attack

HARM = ("memory",)
kept = []


def take():
    for number in range(100):
        kept.append(torch.ones(1 << 28, device="cpu"))
        print("GiB", number + 1, flush=True)


attack("torch", take)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
