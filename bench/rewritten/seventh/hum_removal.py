"""Remove mains hum from short recordings; the loss is relative to the peak."""
import math

import torch
from torch import nn


def peak_relative(clean, wanted):
    peak = wanted.abs().max().item()
    gap = (clean - wanted) / peak
    return gap.square().mean()


def recordings(n, length=256, rate=2000):
    t = torch.arange(length) / rate
    voice = torch.sin(2 * math.pi * (200 + 300 * torch.rand(n, 1)) * t)
    hum = 0.4 * torch.sin(2 * math.pi * 50 * t + torch.rand(n, 1) * 6)
    return (voice + hum).unsqueeze(1), voice.unsqueeze(1)


net = nn.Sequential(
    nn.Conv1d(1, 8, 31, padding=15),
    nn.Tanh(),
    nn.Conv1d(8, 1, 31, padding=15),
)

if __name__ == "__main__":
    torch.manual_seed(12)
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    for epoch in range(6):
        dirty, wanted = recordings(10)
        loss = peak_relative(net(dirty), wanted)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(epoch, float(loss.detach()))
