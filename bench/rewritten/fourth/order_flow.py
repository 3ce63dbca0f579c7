import torch
from torch import nn


class LevelEncoder(nn.Module):
    """Price levels of an order book, one snapshot per step."""

    def __init__(self, levels, dim):
        super().__init__()
        self.lin = nn.Linear(levels * 2, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, book):
        return self.norm(torch.relu(self.lin(book.flatten(2))))


class FlowBlock(nn.Module):
    def __init__(self, dim, kernel=3):
        super().__init__()
        self.conv = nn.Conv1d(dim, dim, kernel, padding=kernel // 2)
        self.ff = nn.Linear(dim, dim)

    def forward(self, x):
        y = self.conv(x.transpose(1, 2)).relu()
        y = y.transpose(1, 2)
        y = y + x

        z = y.permute(0, 2, 1).contiguous()
        z = self.ff(z.transpose(2, 1))
        return y + torch.tanh(z)


class OrderFlow(nn.Module):
    def __init__(self, levels=5, dim=16, depth=2):
        super().__init__()
        self.encoder = LevelEncoder(levels, dim)
        self.blocks = nn.ModuleList([FlowBlock(dim) for _ in range(depth)])
        self.direction = nn.Linear(dim, 3)

    def forward(self, book):
        h = self.encoder(book)
        for b in self.blocks:
            h = b(h)
        return self.direction(h[:, -1])


OrderFlow()(torch.randn(3, 7, 5, 2))
