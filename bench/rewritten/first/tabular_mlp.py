import torch
from torch import nn
import torch.nn.functional as F


class TabularMLP(nn.Module):
    """MLP for the house price table."""

    def __init__(self, num_features: int, hidden: int = 32):
        super().__init__()
        # layers with weights first ...
        self.fc1 = nn.Linear(in_features=num_features, out_features=hidden)
        self.fc2 = nn.Linear(in_features=hidden, out_features=1)

        # ... then the rest
        self.bn1 = nn.BatchNorm1d(num_features=hidden)
        self.dropout = nn.Dropout(p=0.2)

    def forward(self, table: torch.Tensor) -> torch.Tensor:
        h = self.fc1(table)
        # normalise before the activation
        h = self.bn1(h)
        h = F.leaky_relu(h, negative_slope=0.1)
        h = self.dropout(h)
        return self.fc2(h)


TabularMLP(13)(torch.randn(6, 13))
