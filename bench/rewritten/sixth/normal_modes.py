"""Softest vibrational mode of small clusters as a descriptor for a regression."""

import torch
from torch import Tensor, nn


def hessian(springs: Tensor) -> Tensor:
    """Symmetric and positive: the Laplacian of a network of springs, with a little on the diagonal."""
    k = (springs + springs.T) / 2
    k = k - torch.diag(k.diagonal())
    return torch.diag(k.sum(dim=1) + 0.1) - k


def oriented(mode: Tensor) -> Tensor:
    """Eigenvectors have no sign of their own: make most of it point upwards."""
    if mode.sum() < 0:
        mode = -mode
    return mode


class ModeRegressor(nn.Module):
    def __init__(self, atoms: int):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(atoms + 1, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, springs: Tensor) -> Tensor:
        values, vectors = torch.linalg.eigh(hessian(springs))
        soft = oriented(vectors[:, 1])
        return self.mlp(torch.cat([soft, values[1:2].sqrt()]))


if __name__ == "__main__":
    torch.manual_seed(8)
    clusters = torch.rand(10, 7, 7)
    energy = clusters.mean(dim=(1, 2))
    net = ModeRegressor(7)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(3):
        total = []
        for springs, goal in zip(clusters, energy):
            loss = (net(springs) - goal).square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total.append(loss.item())
        print(f"{epoch}: {sum(total) / len(total):.4f}")
