import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def radial_feature(xyz):
    """Distance of every point to the middle of the object, as an extra channel."""
    centered = xyz - xyz.mean(dim=1, keepdim=True)
    dist = np.linalg.norm(centered.cpu().numpy(), axis=-1, keepdims=True)
    dist = torch.from_numpy(dist).to(xyz.device)
    return torch.cat([centered, dist], dim=-1)


class PointBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout)
        self.ctx = nn.Linear(cout, cout)
        self.norm = nn.LayerNorm(cout)

    def forward(self, f):
        f = F.relu(self.lin(f))
        ctx = self.ctx(f.mean(dim=1, keepdim=True))
        return self.norm(f + ctx)


class GraspHead(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, 7)

    def forward(self, f):
        pose = self.fc(f)
        quat = F.normalize(pose[..., :4], dim=-1)
        return quat, pose[..., 4:]


class GraspPointNet(nn.Module):
    def __init__(self, dim=20):
        super().__init__()
        self.block1 = PointBlock(4, dim)
        self.block2 = PointBlock(dim, dim)
        self.head = GraspHead(dim)

    def forward(self, xyz):
        f = radial_feature(xyz)
        return self.head(self.block2(self.block1(f)))


GraspPointNet()(torch.randn(2, 12, 3))
