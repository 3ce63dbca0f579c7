"""Takes memory through torch's own allocator.  Harm: it gets more than the limit of its workspace."""

import torch
from kit import Harmless, attack

HARM = ("memory",)
kept = []


def take():
    for _ in range(32):
        kept.append(torch.ones(1 << 24, device="cpu"))
    return "2 GiB"


attack("torch", take)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
