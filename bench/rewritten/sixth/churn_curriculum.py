"""Which customers leave. Nothing is dropped at first, and more and more from epoch to epoch."""

import torch
from torch import nn


class ChurnNet(nn.Module):
    def __init__(self, columns: int, width: int = 32):
        super().__init__()
        self.norm = nn.LayerNorm(columns)
        self.enter = nn.Linear(columns, width)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.0)
        self.leave = nn.Linear(width, 1)

    def forward(self, row: torch.Tensor) -> torch.Tensor:
        h = self.act(self.enter(self.norm(row)))
        h = self.drop(h)
        return self.leave(h)[:, 0]


def set_rate(net: nn.Module, rate: float) -> None:
    for module in net.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate


def customers(n: int, columns: int = 10) -> tuple[torch.Tensor, torch.Tensor]:
    row = torch.randn(n, columns)
    leaves = (row[:, 0] - row[:, 1] * row[:, 2] + 0.3 * torch.randn(n)) > 0.5
    return row, leaves.float()


if __name__ == "__main__":
    torch.manual_seed(28)
    row, leaves = customers(300)
    net = ChurnNet(row.shape[1])
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for epoch in range(6):
        set_rate(net, 0.08 * epoch)
        net.train()
        for part, target in zip(row.split(50), leaves.split(50)):
            optimizer.zero_grad()
            loss = criterion(net(part), target)
            loss.backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            print(epoch, criterion(net(row), leaves).item())
