"""Message passing on road graphs; messages of too great a norm are shrunk."""
import torch
from torch import nn


class Messages(nn.Module):
    def __init__(self, dim, limit=4.0):
        super().__init__()
        self.limit = limit
        self.send = nn.Linear(dim, dim)
        self.merge = nn.GRUCell(dim, dim)

    def forward(self, nodes, adjacency):
        inbox = adjacency @ self.send(nodes)
        size = inbox.norm()
        if size > self.limit:
            inbox = inbox * (self.limit / (size + 1e-6))
        return self.merge(inbox, nodes)


class RoadNet(nn.Module):
    def __init__(self, features, dim=16, hops=3):
        super().__init__()
        self.enter = nn.Linear(features, dim)
        self.hops = nn.ModuleList([Messages(dim) for _ in range(hops)])
        self.minutes = nn.Linear(dim, 1)

    def forward(self, features, adjacency):
        h = self.enter(features)
        for hop in self.hops:
            h = hop(h, adjacency)
        return self.minutes(h).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    links = (torch.rand(10, 10) < 0.3).float()
    links = links / links.sum(dim=1, keepdim=True).clamp(min=1)
    print(RoadNet(5)(torch.randn(10, 5), links))
