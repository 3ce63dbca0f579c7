import torch
from torch import nn


def knn(points, k):
    d = torch.cdist(points, points)
    return d.topk(k, dim=-1, largest=False).indices


def gather_neighbours(x, idx):
    """x: (B, N, C), idx: (B, N, K) -> (B, N, K, C)"""
    batch = torch.arange(x.size(0), device=x.device)[:, None, None]
    return x[batch, idx]


class EdgeConv(nn.Module):
    def __init__(self, c_in, c_out, k):
        super().__init__()
        self.k = k
        self.mlp = nn.Sequential(
            nn.Linear(2 * c_in, c_out),
            nn.LeakyReLU(0.2),
            nn.Linear(c_out, c_out),
        )

    def forward(self, x):
        nbr = gather_neighbours(x, knn(x, self.k))
        center = x.unsqueeze(2).expand_as(nbr)
        edge = torch.cat((center, nbr - center), dim=-1)
        out = self.mlp(edge).clone()
        return out.amax(dim=2)


class GlobalFeature(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.fc = nn.Linear(c_in, c_out)

    def forward(self, x):
        return torch.relu(self.fc(x)).amax(dim=1, keepdim=True)


class PartSegmenter(nn.Module):
    def __init__(self, n_parts=6, k=4):
        super().__init__()
        self.conv1 = EdgeConv(3, 16, k)
        self.conv2 = EdgeConv(16, 24, k)
        self.glob = GlobalFeature(40, 32)
        self.head = nn.Sequential(
            nn.Linear(72, 32),
            nn.LeakyReLU(0.2),
            nn.Dropout(0.3),
            nn.Linear(32, n_parts),
        )

    def forward(self, points):
        f1 = self.conv1(points)
        f2 = self.conv2(f1)
        local = torch.cat((f1, f2), dim=-1)
        g = self.glob(local).expand(-1, points.size(1), -1)
        return self.head(torch.cat((local, g), dim=-1))


PartSegmenter()(torch.randn(2, 20, 3))
