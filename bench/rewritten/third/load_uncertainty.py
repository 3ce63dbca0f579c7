import torch
import torch.nn as nn
import torch.nn.functional as F


class LoadEncoder(nn.Module):
    def __init__(self, n_features, hidden):
        super().__init__()
        self.rnn = nn.LSTM(n_features, hidden, num_layers=2, batch_first=True, dropout=0.1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return out[:, -1]


class StochasticHead(nn.Module):
    def __init__(self, hidden, horizon, p):
        super().__init__()
        self.fc1 = nn.Linear(hidden, hidden)
        self.fc2 = nn.Linear(hidden, horizon)
        self.p = p

    def forward(self, h):
        h = torch.relu(self.fc1(h))
        h = F.dropout(h, self.p, True)
        return self.fc2(h)


class LoadForecaster(nn.Module):
    """Predictive mean and spread from repeated stochastic passes (Gal & Ghahramani)."""

    def __init__(self, n_features=5, hidden=16, horizon=4, p=0.2, n_samples=8):
        super().__init__()
        self.encoder = LoadEncoder(n_features, hidden)
        self.head = StochasticHead(hidden, horizon, p)
        self.n_samples = n_samples

    def forward(self, window):
        state = self.encoder(window)
        draws = torch.stack([self.head(state) for _ in range(self.n_samples)])
        return draws.mean(dim=0), draws.std(dim=0)

    @torch.no_grad()
    def interval(self, window, z=1.96):
        self.eval()
        mean, std = self(window)
        return mean - z * std, mean + z * std


LoadForecaster()(torch.randn(3, 12, 5))
