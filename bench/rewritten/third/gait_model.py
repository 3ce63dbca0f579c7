import torch
import torch.nn as nn
import torch.nn.functional as F


class PoseEmbed(nn.Module):
    def __init__(self, n_joints, dim):
        super().__init__()
        self.lin = nn.Linear(n_joints * 3, dim, bias=False)
        self.bn = nn.BatchNorm1d(dim)

    def forward(self, pose):
        return F.relu(self.bn(self.lin(pose.flatten(1))))


class GaitEncoder(nn.Module):
    def __init__(self, n_joints, dim):
        super().__init__()
        self.pose = PoseEmbed(n_joints, dim)
        self.temporal = nn.Conv1d(dim, dim, 3, padding=1)

    def forward(self, skeletons):
        # skeletons: (batch, time, joints, 3)
        embedded = []
        for t in range(skeletons.size(1)):
            embedded.append(self.pose(skeletons[:, t]))
        seq = torch.stack(embedded, dim=2)
        return torch.relu(self.temporal(seq))


class IdentityHead(nn.Module):
    def __init__(self, dim, n_people):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_people, dim))
        self.scale = 16.0

    def forward(self, feat):
        cos = F.linear(F.normalize(feat, dim=-1), F.normalize(self.weight, dim=-1))
        return self.scale * cos


class GaitNet(nn.Module):
    def __init__(self, n_joints=13, dim=16, n_people=6):
        super().__init__()
        self.encoder = GaitEncoder(n_joints, dim)
        self.head = IdentityHead(dim, n_people)

    def forward(self, skeletons):
        h = self.encoder(skeletons)
        return self.head(h.amax(dim=-1))


GaitNet()(torch.randn(5, 6, 13, 3))
