import torch
from torch import nn, Tensor


class Normalize(nn.Module):
    def __init__(self, n_features: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n_features))
        self.register_buffer("std", torch.ones(n_features))

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) / self.std


class ResidualBlock(nn.Module):
    def __init__(self, d: int, d_hidden: int, dropout: float):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.lin_in = nn.Linear(d, d_hidden)
        self.lin_out = nn.Linear(d_hidden, d)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        z = self.norm(x)
        z = torch.relu(self.lin_in(z))
        z = self.lin_out(self.dropout(z))
        return x + z


class Stem(nn.Module):
    def __init__(self, n_features: int, d: int):
        super().__init__()
        self.project = nn.Linear(n_features, d)
        self.bn = nn.BatchNorm1d(d)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        h = self.project(x)
        h = self.bn(h)
        return self.act(h)


class FraudResNet(nn.Module):
    def __init__(self, n_features: int, d: int = 24, n_blocks: int = 3, dropout: float = 0.1):
        super().__init__()
        self.normalize = Normalize(n_features)
        self.stem = Stem(n_features, d)
        self.blocks = nn.Sequential(
            *(ResidualBlock(d, 2 * d, dropout) for _ in range(n_blocks))
        )
        self.head = nn.Linear(d, 2)

    def forward(self, x: Tensor) -> Tensor:
        h = self.stem(self.normalize(x))
        return self.head(self.blocks(h))


FraudResNet(12)(torch.randn(6, 12))
