import torch
import torch.nn as nn
import torch.nn.functional as F


def pair_features(pos, centers, cutoff):
    """Radial basis times a smooth cutoff, for all pairs."""
    offset = 1e-6
    basis = torch.exp(
        -4.0 * (torch.linalg.norm(pos[:, :, None] - pos[:, None] + offset, dim=-1)[..., None] - centers) ** 2
    )

    window = torch.linalg.norm(pos[:, :, None] - pos[:, None] + offset, dim=-1)
    window = 0.5 * (torch.cos(window.clamp(max=cutoff) * torch.pi / cutoff) + 1.0)
    return basis * window[..., None]


class ContinuousFilter(nn.Module):
    def __init__(self, n_basis, dim):
        super().__init__()
        self.filter = nn.Sequential(nn.Linear(n_basis, dim), nn.Softplus(), nn.Linear(dim, dim))
        self.lin = nn.Linear(dim, dim)

    def forward(self, h, pairs):
        w = self.filter(pairs)
        msg = (w * h[:, None]).sum(dim=2)
        return h + F.softplus(self.lin(msg))


class PairEnergy(nn.Module):
    def __init__(self, elements=10, dim=12, n_basis=6, cutoff=4.0, rounds=2):
        super().__init__()
        self.cutoff = cutoff
        self.emb = nn.Embedding(elements, dim)
        self.register_buffer("centers", torch.linspace(0.5, cutoff, n_basis))
        self.layers = nn.ModuleList([ContinuousFilter(n_basis, dim) for _ in range(rounds)])
        self.out = nn.Linear(dim, 1)

    def forward(self, z, pos):
        h = self.emb(z)
        pairs = pair_features(pos, self.centers, self.cutoff)
        for layer in self.layers:
            h = layer(h, pairs)
        return self.out(h).sum(dim=(1, 2))


PairEnergy()(torch.randint(1, 10, (2, 5)), torch.randn(2, 5, 3))
