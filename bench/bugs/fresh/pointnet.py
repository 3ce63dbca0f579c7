"""PointNet (Qi 2017): a learned transform of points and of features, shared MLPs, a max over all points."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange, repeat


class TNet(nn.Module):
    """A matrix for each cloud, the identity at first."""

    def __init__(self, k):
        super().__init__()
        self.k = k
        self.mlp = nn.Sequential(
            nn.Conv1d(k, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 64, 1), nn.BatchNorm1d(64), nn.ReLU()
        )
        self.fc1 = nn.Linear(64, 32)
        self.fc2 = nn.Linear(32, k * k)

    def forward(self, x):
        x = self.mlp(x)
        x = torch.max(x, dim=2)[0]
        x = self.fc2(F.relu(self.fc1(x)))
        identity = torch.eye(self.k, device=x.device).flatten()
        return (x + identity).view(-1, self.k, self.k)


class PointNetFeatures(nn.Module):
    def __init__(self, channels=3, width=64, out=128):
        super().__init__()
        self.input_transform = TNet(channels)
        self.feature_transform = TNet(width)
        self.conv1 = nn.Conv1d(channels, width, 1)
        self.conv2 = nn.Conv1d(width, 2 * width, 1)
        self.conv3 = nn.Conv1d(2 * width, out, 1)
        self.bn1 = nn.BatchNorm1d(width)
        self.bn2 = nn.BatchNorm1d(2 * width)
        self.bn3 = nn.BatchNorm1d(out)

    def forward(self, points):
        transform = self.input_transform(points.transpose(1, 2))
        x = torch.bmm(points, transform).transpose(1, 2)
        x = F.relu(self.bn1(self.conv1(x)))
        align = self.feature_transform(x)
        local = torch.einsum("bcn,bcd->bdn", x, align)
        x = F.relu(self.bn2(self.conv2(local)))
        x = self.bn3(self.conv3(x))
        return x.amax(dim=2), local, align


class PointSegmenter(nn.Module):
    """A label for each point, from what is near and from the whole cloud."""

    def __init__(self, parts=6, categories=4, width=64, out=128):
        super().__init__()
        self.features = PointNetFeatures(width=width, out=out)
        self.categories = categories
        self.net = nn.Sequential(
            nn.Linear(width + out + categories, 96),
            nn.LayerNorm(96),
            nn.ReLU(),
            nn.Linear(96, parts),
        )

    def forward(self, points, category):
        whole, local, align = self.features(points)
        n = points.shape[1]
        label = F.one_hot(category, self.categories).float()
        whole = repeat(torch.cat([whole, label], dim=-1), "b c -> b n c", n=n)
        local = rearrange(local, "b c n -> b n c")
        logits = self.net(torch.cat([whole, local], dim=-1))
        gram = align @ align.transpose(1, 2)
        penalty = (gram - torch.eye(gram.size(-1))).pow(2).mean()
        return logits, penalty


if __name__ == "__main__":
    clouds = torch.randn(5, 200, 3)
    kinds = torch.tensor([0, 3, 1, 2, 2])
    labels = torch.randint(0, 6, (5, 200))
    logits, penalty = PointSegmenter()(clouds, kinds)
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten()) + 0.001 * penalty
    print(loss.item())
