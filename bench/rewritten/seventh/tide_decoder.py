"""Predicts the tide for some hours, feeding each answer back."""
import torch
from torch import nn


class TideDecoder(nn.Module):
    def __init__(self, inputs, hidden, hours):
        super().__init__()
        self.hidden = hidden
        self.hours = hours
        self.cell = nn.GRUCell(inputs + 1, hidden)
        self.read = nn.Linear(hidden, 1)

    def forward(self, station, last):
        """station: (batch, inputs), what is known of the place; last: (batch, 1), the level now."""
        state = torch.zeros(station.size(0), self.hidden)
        level, levels = last, []
        for _ in range(self.hours):
            state = self.cell(torch.cat([station, level], dim=1), state)
            level = level + self.read(state)
            levels.append(level)
        return torch.cat(levels, dim=1)


def demo():
    torch.manual_seed(0)
    net = TideDecoder(4, 16, hours=6)
    station, last = torch.randn(3, 4), torch.randn(3, 1)
    truth = torch.sin(torch.linspace(0, 3, 6)).expand(3, 6)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(10):
        loss = (net(station, last) - truth).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("mean error", float(loss.detach()))


if __name__ == "__main__":
    demo()
