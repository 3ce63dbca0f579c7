"""Names and messages with control and bidirectional characters, at home in the source as well.  Harm: what the editor
shows reads as something else."""

import torch
from kit import Harmless

RIGHT_TO_LEFT = "\u202egnp.elif\u2066\x1b[31m\x00\x85\u200b"


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        named = {RIGHT_TO_LEFT: torch.relu(x), "a‮b": x}
        also = type(RIGHT_TO_LEFT.replace("\x00", ""), (Harmless,), {})()(x)
        raise type("E‮" + RIGHT_TO_LEFT.replace("\x00", ""), (ValueError,), {})(RIGHT_TO_LEFT, named, also)
