import torch
import torch.nn as nn


class SharedMLP(nn.Module):
    def __init__(self, dims):
        super().__init__()
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class Registration(nn.Module):
    """Soft correspondences between a source and a target cloud."""

    def __init__(self, dim, temperature=0.1):
        super().__init__()
        self.encoder = SharedMLP([3, dim, dim])
        self.temperature = temperature

    def forward(self, src, tgt):
        fs = self.encoder(src)
        ft = self.encoder(tgt)

        forward_w = torch.softmax(-torch.cdist(fs, ft) / self.temperature, dim=2)
        backward_w = torch.softmax(-torch.cdist(fs, ft) / self.temperature, dim=1)

        src_to_tgt = forward_w @ tgt
        tgt_to_src = backward_w.transpose(1, 2) @ src
        return src_to_tgt, tgt_to_src


class PoseHead(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.point = SharedMLP([6, hidden, hidden])
        self.pose = nn.Linear(hidden, 7)

    def forward(self, points, matched):
        h = self.point(torch.cat([points, matched], dim=-1))
        quat_trans = self.pose(h.amax(dim=1))
        quat, trans = quat_trans.split([4, 3], dim=-1)
        return nn.functional.normalize(quat, dim=-1), trans


class RigidAligner(nn.Module):
    def __init__(self, dim=16, hidden=24):
        super().__init__()
        self.register = Registration(dim)
        self.head = PoseHead(hidden)

    def forward(self, src, tgt):
        a, b = self.register(src, tgt)
        quat, trans = self.head(src, a)
        cycle = (b - tgt).pow(2).mean()
        return quat, trans, cycle


RigidAligner()(torch.randn(2, 9, 3), torch.randn(2, 11, 3))
