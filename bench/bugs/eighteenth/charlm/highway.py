"""Highway layers: a gate between what is computed and what is passed by."""

import torch
import torch.nn as nn


class Highway(nn.Module):
    def __init__(self, size, layers=2, bias=-2.0):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(size, 2 * size) for _ in range(layers))
        for layer in self.layers:
            nn.init.constant_(layer.bias[size:], bias)

    def forward(self, x):
        for layer in self.layers:
            h, gate = layer(x).chunk(2, dim=-1)
            gate = torch.sigmoid(gate)
            x = gate * torch.relu(h) + (1 - gate) * x
        return x
