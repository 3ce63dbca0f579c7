"""Sea-ice concentration a week ahead; land cells do not count."""
import torch
import torch.nn as nn


class ConvLSTMCell(nn.Module):
    def __init__(self, cin, hidden):
        super().__init__()
        self.hidden = hidden
        self.gates = nn.Conv2d(cin + hidden, 4 * hidden, 3, padding=1)

    def forward(self, x, h, c):
        i, f, o, g = self.gates(torch.cat([x, h], dim=1)).chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class IceForecaster(nn.Module):
    def __init__(self, channels=3, hidden=6):
        super().__init__()
        self.cell = ConvLSTMCell(channels, hidden)
        self.head = nn.Conv2d(hidden, 1, 1)

    def forward(self, seq):
        b, t, _, rows, cols = seq.shape
        h = seq.new_zeros(b, self.cell.hidden, rows, cols)
        c = torch.zeros_like(h)
        for step in seq.unbind(dim=1):
            h, c = self.cell(step, h, c)
        return self.head(h)[:, 0].sigmoid()


def ocean_loss(pred, target, ocean):
    ocean = ocean.expand_as(pred)
    err = (pred - target).abs()
    total = err[ocean].sum()
    return total / ocean.sum().clamp(min=1)


def step(model, batch):
    seq, target, ocean = batch
    pred = model(seq)
    return ocean_loss(pred, target, ocean)


step(IceForecaster(), (torch.rand(2, 4, 3, 6, 6), torch.rand(2, 6, 6), torch.rand(6, 6) > 0.4))
