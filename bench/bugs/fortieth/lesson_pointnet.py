"""Lesson 9: neural networks on point clouds.

A cloud is a *set* of points, so the answer must not depend on their order.  We keep the batch of clouds as
[batch, points, 3] outside of the models and as [batch, channels, points] inside, as Conv1d wants it.
"""

import torch
import torch.nn.functional as F
from torch import nn


def shared_mlp(*widths):
    """The same small MLP for every point: convolutions with a kernel of one."""
    layers = []
    for n_in, n_out in zip(widths[:-1], widths[1:]):
        layers += [nn.Conv1d(n_in, n_out, 1), nn.BatchNorm1d(n_out), nn.ReLU()]
    return nn.Sequential(*layers)


class AlignmentNet(nn.Module):
    """Predicts a k x k matrix by which the cloud (or its features) is turned upright."""

    def __init__(self, k):
        super().__init__()
        self.k = k
        self.point_mlp = shared_mlp(k, 16, 32)
        self.fc = nn.Sequential(nn.Linear(32, 24), nn.ReLU(), nn.Linear(24, k * k))
        nn.init.zeros_(self.fc[-1].weight)
        nn.init.zeros_(self.fc[-1].bias)

    def forward(self, x):
        pooled = self.point_mlp(x).max(dim=2)[0]
        matrix = self.fc(pooled).view(-1, self.k, self.k)
        return matrix + torch.eye(self.k, device=x.device)


def knn(points, k):
    """The k nearest neighbours of each point: [batch, points, k], without the point itself."""
    distances = torch.cdist(points, points)
    return distances.topk(k + 1, dim=-1, largest=False).indices[..., 1:]


def gather_neighbours(features, idx):
    """features [batch, points, c], idx [batch, points, k] -> [batch, points, k, c]."""
    batch, n, c = features.shape
    k = idx.shape[2]
    flat = idx.reshape(batch, n * k, 1).expand(-1, -1, c)
    return features.gather(1, flat).view(batch, n, k, c)


class EdgeConv(nn.Module):
    """Looks at each point together with the vectors to its neighbours (Wang et al., 2019)."""

    def __init__(self, c_in, c_out, k):
        super().__init__()
        self.k = k
        self.mlp = nn.Sequential(nn.Conv2d(2 * c_in, c_out, 1), nn.BatchNorm2d(c_out), nn.LeakyReLU(0.2))

    def forward(self, x, points):
        features = x.transpose(1, 2)
        neighbours = gather_neighbours(features, knn(points, self.k))
        centre = features.unsqueeze(2).expand_as(neighbours)
        edges = torch.cat([centre, neighbours - centre], dim=-1)  # [batch, points, k, 2c]
        edges = edges.permute(0, 3, 1, 2)
        return self.mlp(edges).amax(dim=-1)


class PointNet(nn.Module):
    """Backbone: features of each point, and one vector for the whole cloud."""

    def __init__(self, width=32, k=6):
        super().__init__()
        self.input_align = AlignmentNet(3)
        self.stem = shared_mlp(3, width // 2)
        self.feature_align = AlignmentNet(width // 2)
        self.edge = EdgeConv(width // 2, width, k)
        self.top = shared_mlp(width, 2 * width)

    def forward(self, points):
        turn = self.input_align(points.transpose(1, 2))
        points = torch.bmm(points, turn)
        x = self.stem(points.transpose(1, 2))
        matrix = self.feature_align(x)
        x = torch.bmm(matrix, x)
        local = self.edge(x, points)
        overall = self.top(local).max(dim=2)[0]
        return local, overall, matrix


class Classifier(nn.Module):
    def __init__(self, n_classes, width=32):
        super().__init__()
        self.backbone = PointNet(width)
        self.head = nn.Sequential(nn.Linear(2 * width, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, n_classes))

    def forward(self, points):
        _, overall, matrix = self.backbone(points)
        return self.head(overall), matrix


class Segmenter(nn.Module):
    """A class for each point: it sees its own features, those of the cloud, and which kind of object it is."""

    def __init__(self, n_kinds, n_parts, width=32):
        super().__init__()
        self.backbone = PointNet(width)
        self.kind = nn.Embedding(n_kinds, 8)
        self.mlp = shared_mlp(width + 2 * width + 8, 48, 32)
        self.out = nn.Conv1d(32, n_parts, 1)

    def forward(self, points, kind):
        local, overall, matrix = self.backbone(points)
        n = points.shape[1]
        overall = torch.cat([overall, self.kind(kind)], dim=1)
        overall = overall.unsqueeze(2).expand(-1, -1, n)
        x = torch.cat([local, overall], dim=1)
        return self.out(self.mlp(x)), matrix


class AutoEncoder(nn.Module):
    """Folds a flat square sheet into the shape of the cloud."""

    def __init__(self, side=6, width=32):
        super().__init__()
        self.encoder = PointNet(width)
        u = torch.linspace(-1, 1, side)
        grid = torch.stack(torch.meshgrid(u, u, indexing="ij"), dim=0)
        self.register_buffer("sheet", grid.flatten(1))  # [2, side * side]
        self.fold1 = shared_mlp(2 * width + 2, 48)
        self.fold2 = nn.Conv1d(48, 3, 1)

    def forward(self, points):
        _, code, _ = self.encoder(points)
        n = self.sheet.shape[1]
        sheet = self.sheet.expand(len(points), -1, -1)
        x = torch.cat([sheet, code[:, :, None].repeat(1, 1, n)], dim=1)
        return self.fold2(self.fold1(x)).transpose(1, 2)


def orthogonality(matrix):
    """A good alignment is a rotation: A times its transpose is the unit matrix."""
    eye = torch.eye(matrix.shape[1], device=matrix.device)
    return (torch.bmm(matrix, matrix.transpose(1, 2)) - eye).pow(2).sum(dim=(1, 2)).mean()


def chamfer(a, b):
    """How far each point of one cloud is from the other cloud, and the other way round."""
    distances = torch.cdist(a, b)
    return distances.min(dim=2).values.mean() + distances.min(dim=1).values.mean()
