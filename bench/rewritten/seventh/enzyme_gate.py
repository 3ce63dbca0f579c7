"""Kinetics of enzymes: a small net with self-gated units."""
import torch
from torch import nn


class GatedBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.lin = nn.Linear(width, width)
        self.gate = nn.Sigmoid()

    def forward(self, x):
        h = self.lin(self.norm(x))
        g = self.gate(h)
        h = g * h
        return x + h


class Kinetics(nn.Module):
    """(substrate, temperature, pH, dose) -> logarithm of the rate"""

    def __init__(self, width=24, depth=3):
        super().__init__()
        self.enter = nn.Linear(4, width)
        self.blocks = nn.Sequential(*[GatedBlock(width) for _ in range(depth)])
        self.leave = nn.Linear(width, 1)

    def forward(self, conditions):
        return self.leave(self.blocks(self.enter(conditions))).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Kinetics()
    x = torch.rand(32, 4)
    y = torch.log(x[:, 0] / (0.3 + x[:, 0]) + 0.01)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for _ in range(20):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(float(loss.detach()))
