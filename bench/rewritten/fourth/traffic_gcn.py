import torch
import torch.nn as nn


class AdaptiveAdjacency(nn.Module):
    """Learned graph between road sensors, scaled by the hour of the day."""

    def __init__(self, sensors, rank):
        super().__init__()
        self.left = nn.Parameter(torch.randn(sensors, rank))
        self.right = nn.Parameter(torch.randn(rank, sensors))
        self.hour = nn.Embedding(24, 1)

    def forward(self, hour):
        base = torch.relu(self.left @ self.right)
        return torch.softmax(base * self.hour(hour).unsqueeze(-1).exp(), dim=-1)


class DiffusionConv(nn.Module):
    def __init__(self, cin, cout, hops=2):
        super().__init__()
        self.hops = hops
        self.lin = nn.Linear(cin * (hops + 1), cout)

    def forward(self, h, adj):
        parts = [h]
        for _ in range(self.hops):
            h = torch.einsum("bnm,bmd->bnd", adj, h)
            parts.append(h)
        return self.lin(torch.cat(parts, dim=-1))


class TrafficGCN(nn.Module):
    def __init__(self, sensors=7, history=12, dim=16, horizon=3):
        super().__init__()
        self.adj = AdaptiveAdjacency(sensors, 4)
        self.conv1 = DiffusionConv(history, dim)
        self.conv2 = DiffusionConv(dim, dim)
        self.head = nn.Linear(dim, horizon)

    def forward(self, speed, hour):
        adj = self.adj(hour)
        h = self.conv1(speed, adj).relu()
        h = h + self.conv2(h, adj).relu()
        return self.head(h)


TrafficGCN()(torch.rand(2, 7, 12), torch.tensor([8, 17]))
