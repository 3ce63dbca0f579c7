"""Fills gaps in rain gauge records; gauges that did not report are left out of the loss."""
import torch
from torch import nn


class Imputer(nn.Module):
    def __init__(self, gauges=15, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 * gauges, width), nn.Tanh(), nn.Linear(width, gauges))

    def forward(self, rain, reported):
        return self.net(torch.cat([rain * reported, reported.to(rain.dtype)], dim=1))


def masked_l1(guess, rain, reported):
    miss = (guess - rain).abs()
    known = miss[reported]
    return known.mean()


def run(days=128, gauges=15):
    torch.manual_seed(26)
    rain = torch.rand(days, gauges).pow(3)
    reported = torch.rand(days, gauges) < 0.8
    model = Imputer(gauges)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(10):
        # hide some of the reports, and ask for all of them
        shown = reported & (torch.rand(days, gauges) < 0.7)
        loss = masked_l1(model(rain, shown), rain, reported)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    print(run())
