"""Fits a yield curve to quoted accruals (continuous compounding)."""
import torch
from torch import nn


class YieldCurve(nn.Module):
    """Nelson-Siegel without the hump."""

    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.tensor(0.03))
        self.slope = nn.Parameter(torch.tensor(-0.01))
        self.decay = nn.Parameter(torch.tensor(1.5))

    def forward(self, tau):
        x = tau / self.decay.clamp(min=0.1)
        return self.level + self.slope * torch.exp(-x)


def accrued(curve, notional, tau):
    rate = curve(tau)
    growth = torch.exp(rate * tau)
    interest = growth - 1.0
    return notional * interest


def calibrate(curve, notional, tau, quotes, steps=20):
    opt = torch.optim.Adam(curve.parameters(), lr=2e-3)
    for _ in range(steps):
        miss = (accrued(curve, notional, tau) - quotes) / notional
        loss = miss.square().sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(13)
    tau = torch.tensor([1 / 365, 1 / 12, 0.5, 1.0, 2.0, 5.0])
    notional = torch.full((6,), 1e4)
    quotes = notional * (0.04 * tau + 0.001 * torch.rand(6))
    print(calibrate(YieldCurve(), notional, tau, quotes))
