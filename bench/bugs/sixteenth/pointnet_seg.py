"""PointNet with parts: a class for each point."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout):
    return nn.Sequential(nn.Conv1d(cin, cout, 1), nn.BatchNorm1d(cout), nn.ReLU())


class AlignNet(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.local = nn.Sequential(conv_bn(k, 64), conv_bn(64, 128), conv_bn(128, 512))
        self.fc1 = nn.Linear(512, 256)
        self.fc2 = nn.Linear(256, k * k)
        self.bn = nn.BatchNorm1d(256)

    def forward(self, x):
        b = x.shape[0]
        x = self.local(x).max(dim=2)[0]
        x = F.relu(self.bn(self.fc1(x)))
        matrix = self.fc2(x).view(b, self.k, self.k)
        return matrix + torch.eye(self.k, device=x.device)


class PartNet(nn.Module):
    def __init__(self, num_parts=13, num_shapes=5, feature_dim=64):
        super().__init__()
        self.align_points = AlignNet(3)
        self.align_features = AlignNet(feature_dim)
        self.first = conv_bn(6, feature_dim)
        self.second = nn.Sequential(conv_bn(feature_dim, 128), nn.Conv1d(128, 512, 1), nn.BatchNorm1d(512))
        self.shape_embed = nn.Embedding(num_shapes, 16)
        self.segment = nn.Sequential(
            conv_bn(feature_dim + 512 + 16, 256),
            nn.Dropout(0.3),
            conv_bn(256, 128),
            nn.Conv1d(128, num_parts, 1),
        )
        self.classify = nn.Linear(512, num_shapes)

    def forward(self, points, normals, shape):
        n = points.shape[1]
        rotation = self.align_points(points.transpose(1, 2))
        aligned = torch.bmm(points, rotation)
        x = torch.cat([aligned, normals], dim=-1).transpose(1, 2)
        x = self.first(x)
        change = self.align_features(x)
        x = torch.einsum("bcn,bcd->bdn", x, change)
        globe = self.second(x).amax(dim=-1)
        code = self.shape_embed(shape)
        wide = torch.cat([globe, code], dim=1)[:, :, None].expand(-1, -1, n)
        parts = self.segment(torch.cat([x, wide], dim=1))
        return parts, self.classify(globe), change


def orthogonal_penalty(matrix):
    eye = torch.eye(matrix.size(1), device=matrix.device)
    return (matrix @ matrix.transpose(1, 2) - eye).pow(2).mean()


def step(model, batch):
    parts, shapes, change = model(batch["points"], batch["normals"], batch["shape"])
    loss = F.cross_entropy(parts, batch["parts"])
    loss = loss + F.cross_entropy(shapes, batch["shape"])
    return loss + 1e-3 * orthogonal_penalty(change)


if __name__ == "__main__":
    batch = {
        "points": torch.randn(4, 200, 3),
        "normals": F.normalize(torch.randn(4, 200, 3), dim=-1),
        "shape": torch.randint(0, 5, (4,)),
        "parts": torch.randint(0, 13, (4, 200)),
    }
    print(step(PartNet(), batch).item())
