"""Makes tensors larger than any memory.  Harm: somebody tries to hold one, or counts for ever."""

import torch
from kit import Harmless
from torch import nn


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2**31, 2**31)

    def forward(self, x):
        return torch.ones(10**9, 10**9, device="meta")
