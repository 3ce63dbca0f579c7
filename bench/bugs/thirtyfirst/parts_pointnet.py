"""Names the part of a thing that each point of a cloud belongs to."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TNet(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.conv1 = nn.Conv1d(k, 64, 1)
        self.conv2 = nn.Conv1d(64, 128, 1)
        self.conv3 = nn.Conv1d(128, 1024, 1)
        self.fc1 = nn.Linear(1024, 256)
        self.fc2 = nn.Linear(256, k * k)
        self.bn1, self.bn2, self.bn3 = nn.BatchNorm1d(64), nn.BatchNorm1d(128), nn.BatchNorm1d(1024)

    def forward(self, x):
        b = x.size(0)
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = F.relu(self.bn3(self.conv3(x)))
        x = torch.max(x, 2)[0]
        x = self.fc2(F.relu(self.fc1(x)))
        eye = torch.eye(self.k, device=x.device).repeat(b, 1, 1)
        return x.view(b, self.k, self.k) + eye


class PartNet(nn.Module):
    def __init__(self, num_parts=12, num_classes=16):
        super().__init__()
        self.num_classes = num_classes
        self.input_transform = TNet(3)
        self.feature_transform = TNet(64)
        self.mlp1 = nn.Sequential(nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU())
        self.mlp2 = nn.Sequential(nn.Conv1d(64, 128, 1), nn.ReLU(), nn.Conv1d(128, 1024, 1))
        self.segment = nn.Sequential(
            nn.Conv1d(64 + 1024 + num_classes, 256, 1),
            nn.BatchNorm1d(256),
            nn.ReLU(),
            nn.Conv1d(256, num_parts, 1),
        )

    def forward(self, points, label):
        b, n, _ = points.shape
        x = torch.bmm(points, self.input_transform(points.transpose(1, 2)))
        x = self.mlp1(x.transpose(1, 2))
        trans = self.feature_transform(x)
        local = torch.bmm(x.transpose(1, 2), trans).transpose(1, 2)
        world = self.mlp2(local).max(dim=2, keepdim=True).values
        world = world.expand(-1, -1, n)
        kind = F.one_hot(label, self.num_classes).float().unsqueeze(-1).expand(-1, -1, n)
        return self.segment(torch.cat([local, world, kind], dim=1)), trans


def regularizer(trans):
    eye = torch.eye(trans.size(1))
    return torch.norm(torch.bmm(trans, trans.transpose(1, 2)) - eye, dim=(1, 2)).mean()


if __name__ == "__main__":
    net = PartNet()
    opt = torch.optim.Adam(net.parameters())
    for _ in range(3):
        points = torch.rand(8, 512, 3)
        label = torch.randint(0, 16, (8,))
        parts = torch.randint(0, 12, (8, 512))
        pred, trans = net(points, label)
        loss = F.cross_entropy(pred, parts) + 1e-3 * regularizer(trans)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item(), (pred.argmax(1) == parts).float().mean().item())
