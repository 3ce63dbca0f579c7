import torch
import torch.nn as nn
import torch.nn.functional as F


class PiecewiseEncoding(nn.Module):
    """Soft one-hot of numeric columns over learned bin edges."""

    def __init__(self, n_cols, n_bins):
        super().__init__()
        self.edges = nn.Parameter(torch.linspace(-2, 2, n_bins).repeat(n_cols, 1))
        self.log_width = nn.Parameter(torch.zeros(n_cols, 1))

    def forward(self, x):
        z = (x.unsqueeze(-1) - self.edges) * torch.exp(self.log_width)
        return torch.tanh(z).flatten(1)


class Backbone(nn.Module):
    def __init__(self, d_in, d, depth):
        super().__init__()
        self.inp = nn.Linear(d_in, d)
        self.layers = nn.ModuleList(nn.Linear(d, d) for _ in range(depth))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        h = F.relu(self.inp(x))
        for layer in self.layers:
            h = h + self.dropout(F.relu(layer(h)))
        return h


class AdherenceHead(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, 1)
        self.criterion = nn.BCELoss()

    def forward(self, h, target):
        score = self.fc(h).squeeze(-1)
        prob = torch.sigmoid(score)
        return self.criterion(prob, target)


class AdherenceModel(nn.Module):
    def __init__(self, n_cols=6, n_bins=5, d=16, depth=2):
        super().__init__()
        self.encode = PiecewiseEncoding(n_cols, n_bins)
        self.backbone = Backbone(n_cols * n_bins, d, depth)
        self.head = AdherenceHead(d)

    def forward(self, x, target):
        return self.head(self.backbone(self.encode(x)), target)


AdherenceModel()(torch.randn(8, 6), torch.randint(0, 2, (8,)).to(torch.get_default_dtype()))
