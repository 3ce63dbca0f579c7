"""Forecast of traffic at road sensors, where a broken sensor reports zero."""
import torch
from torch import nn


def masked_mae(pred, truth, missing=0.0):
    seen = truth != missing
    err = (pred - truth).abs()
    return torch.masked_select(err, seen).mean()


class Forecaster(nn.Module):
    def __init__(self, past, ahead):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(past, 32), nn.ReLU(), nn.Linear(32, ahead))

    def forward(self, history):
        return self.body(history)


def make_series(sensors=20, steps=60):
    t = torch.linspace(0, 12, steps)
    speed = 50 + 10 * torch.sin(t + torch.rand(sensors, 1) * 3)
    broken = torch.rand(sensors, steps) < 0.1
    return speed.masked_fill(broken, 0.0)


def main():
    torch.manual_seed(7)
    series = make_series()
    past, ahead = 12, 3
    net = Forecaster(past, ahead)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for start in range(0, series.shape[1] - past - ahead, 5):
        history = series[:, start:start + past]
        future = series[:, start + past:start + past + ahead]
        loss = masked_mae(net(history), future)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(start, f"{float(loss.detach()):.2f} km/h")


if __name__ == "__main__":
    main()
