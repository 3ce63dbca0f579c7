"""Compresses counts of single cells. Counts are brought to the same depth, and to a logarithmic scale."""

import torch
from torch import nn


def log_normalized(counts: torch.Tensor, target: float = 1e4) -> torch.Tensor:
    depth = counts.sum(dim=1, keepdim=True).clamp(min=1)
    per_target = counts / depth * target
    shifted = per_target.add(1.0)
    return shifted.log()


class CellAutoencoder(nn.Module):
    def __init__(self, genes: int, bottleneck: int = 8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(genes, 64), nn.ReLU(), nn.Linear(64, bottleneck))
        self.decoder = nn.Sequential(nn.Linear(bottleneck, 64), nn.ReLU(), nn.Linear(64, genes))

    def forward(self, counts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = log_normalized(counts)
        return self.decoder(self.encoder(x)), x


def fake_counts(cells: int, genes: int) -> torch.Tensor:
    kinds = torch.rand(4, genes).pow(4) * 5
    return torch.poisson(kinds[torch.randint(0, 4, (cells,))])


if __name__ == "__main__":
    torch.manual_seed(23)
    counts = fake_counts(128, 100)
    model = CellAutoencoder(100)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(4):
        seen = []
        for part in counts.split(32):
            rebuilt, x = model(part)
            loss = nn.functional.mse_loss(rebuilt, x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.append(loss.item())
        print(epoch, sum(seen) / len(seen))
