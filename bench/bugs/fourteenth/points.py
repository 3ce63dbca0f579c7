"""PointNet++ for parts of objects: sampling, grouping, interpolation."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def square_distance(src, dst):
    """[B, N, C], [B, M, C] -> [B, N, M]"""
    dist = -2 * torch.matmul(src, dst.permute(0, 2, 1))
    dist += torch.sum(src**2, -1).unsqueeze(-1)
    dist += torch.sum(dst**2, -1).unsqueeze(1)
    return dist


def index_points(points, idx):
    """[B, N, C], [B, S] or [B, S, K] -> [B, S, C] or [B, S, K, C]"""
    raw_size = idx.size()
    idx = idx.reshape(raw_size[0], -1)
    res = torch.gather(points, 1, idx[..., None].expand(-1, -1, points.size(-1)))
    return res.reshape(*raw_size, -1)


class SetAbstraction(nn.Module):
    def __init__(self, npoint, k, in_channel, mlp):
        super().__init__()
        self.npoint = npoint
        self.k = k
        self.mlp_convs = nn.ModuleList()
        self.mlp_bns = nn.ModuleList()
        last_channel = in_channel + 3
        for out_channel in mlp:
            self.mlp_convs.append(nn.Conv2d(last_channel, out_channel, 1))
            self.mlp_bns.append(nn.BatchNorm2d(out_channel))
            last_channel = out_channel

    def forward(self, xyz, points):
        idx = torch.linspace(0, xyz.size(1) - 1, self.npoint).long()
        idx = idx.unsqueeze(0).repeat(xyz.size(0), 1)
        new_xyz = index_points(xyz, idx)
        dists = square_distance(new_xyz, xyz)
        knn = dists.topk(self.k, dim=-1, largest=False)[1]
        grouped_xyz = index_points(xyz, knn) - new_xyz.unsqueeze(2)
        if points is not None:
            grouped = torch.cat([grouped_xyz, index_points(points, knn)], dim=-1)
        else:
            grouped = grouped_xyz
        grouped = grouped.permute(0, 3, 2, 1)
        for conv, bn in zip(self.mlp_convs, self.mlp_bns):
            grouped = F.relu(bn(conv(grouped)))
        new_points = torch.max(grouped, 2)[0].transpose(1, 2)
        return new_xyz, new_points


class FeaturePropagation(nn.Module):
    def __init__(self, in_channel, mlp):
        super().__init__()
        layers = []
        for out_channel in mlp:
            layers += [nn.Conv1d(in_channel, out_channel, 1), nn.BatchNorm1d(out_channel), nn.ReLU()]
            in_channel = out_channel
        self.mlp = nn.Sequential(*layers)

    def forward(self, xyz1, xyz2, points1, points2):
        dists, idx = square_distance(xyz1, xyz2).sort(dim=-1)
        dists, idx = dists[:, :, :3], idx[:, :, :3]
        weight = 1.0 / (dists + 1e-8)
        weight = weight / weight.sum(dim=2, keepdim=True)
        interpolated = torch.sum(index_points(points2, idx) * weight.unsqueeze(-1), dim=2)
        if points1 is not None:
            interpolated = torch.cat([points1, interpolated], dim=-1)
        return self.mlp(interpolated.permute(0, 2, 1)).permute(0, 2, 1)


class PartSegmentation(nn.Module):
    def __init__(self, num_parts=50, num_categories=16):
        super().__init__()
        self.num_categories = num_categories
        self.sa1 = SetAbstraction(128, 16, 3, [32, 32, 64])
        self.sa2 = SetAbstraction(32, 16, 64, [64, 128])
        self.fp2 = FeaturePropagation(64 + 128, [128, 64])
        self.fp1 = FeaturePropagation(64 + 3 + num_categories, [64, 64])
        self.conv1 = nn.Conv1d(64, 64, 1)
        self.bn1 = nn.BatchNorm1d(64)
        self.drop = nn.Dropout(0.5)
        self.conv2 = nn.Conv1d(64, num_parts, 1)

    def forward(self, points, category):
        xyz = points[:, :, :3]
        normals = points[:, :, 3:]
        l1_xyz, l1_points = self.sa1(xyz, normals)
        l2_xyz, l2_points = self.sa2(l1_xyz, l1_points)
        l1_points = self.fp2(l1_xyz, l2_xyz, l1_points, l2_points)
        onehot = F.one_hot(category, self.num_categories).float()
        onehot = onehot.unsqueeze(1).repeat(1, xyz.size(1), 1)
        l0_points = self.fp1(xyz, l1_xyz, torch.cat([normals, onehot], dim=-1), l1_points)
        feat = self.drop(F.relu(self.bn1(self.conv1(l0_points.transpose(1, 2)))))
        return F.log_softmax(self.conv2(feat), dim=1)


if __name__ == "__main__":
    net = PartSegmentation()
    seg = net(torch.randn(2, 512, 6), torch.tensor([3, 7]))
    print(F.nll_loss(seg, torch.randint(0, 50, (2, 512))))
