import torch
import torch.nn as nn


class SeriesImputer(nn.Module):
    """Fills gaps in multivariate series; the loss is on observed values only."""

    def __init__(self, n_series, hidden=16):
        super().__init__()
        self.enc = nn.Linear(2 * n_series, hidden)
        self.dec = nn.Linear(hidden, n_series)

    def masked_mse(self, pred, target, valid):
        err = (pred - target) ** 2 * valid
        n_valid = valid.sum().item()
        return err.sum() / n_valid

    def forward(self, x, valid):
        inp = torch.cat([x * valid, valid], dim=-1)
        pred = self.dec(torch.tanh(self.enc(inp)))
        return self.masked_mse(pred, x, valid)


valid = torch.ones(3, 8, 5)
valid[:, 2:4] = 0
SeriesImputer(5)(torch.randn(3, 8, 5), valid)
