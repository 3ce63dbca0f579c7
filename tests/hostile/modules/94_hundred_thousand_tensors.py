"""Makes a hundred thousand tensors, on one line and in one list.  Harm: the answer holds them all."""

import torch
from kit import Harmless


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        kept = [torch.relu(x) for _ in range(100_000)]
        nested = kept[0]
        for _ in range(2_000):
            nested = [nested]
        many = {f"k{number}": kept for number in range(1_000)}
        return nested, many
