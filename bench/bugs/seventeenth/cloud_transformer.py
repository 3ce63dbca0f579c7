"""Point Transformer: neighbours of sampled points, attention by vectors."""

import torch
import torch.nn as nn


def index_points(points, idx):
    """points [B, N, C], idx [B, ...] -> [B, ..., C]"""
    raw = idx.shape
    idx = idx.reshape(raw[0], -1)
    out = torch.gather(points, 1, idx[..., None].expand(-1, -1, points.size(-1)))
    return out.reshape(*raw, -1)


def square_distance(a, b):
    return (a[:, :, None] - b[:, None]).pow(2).sum(-1)


class VectorAttention(nn.Module):
    def __init__(self, d_points, d_model, k):
        super().__init__()
        self.fc1 = nn.Linear(d_points, d_model)
        self.fc2 = nn.Linear(d_model, d_points)
        self.fc_delta = nn.Sequential(nn.Linear(3, d_model), nn.ReLU(), nn.Linear(d_model, d_model))
        self.fc_gamma = nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU(), nn.Linear(d_model, d_model))
        self.w_qs = nn.Linear(d_model, d_model, bias=False)
        self.w_ks = nn.Linear(d_model, d_model, bias=False)
        self.w_vs = nn.Linear(d_model, d_model, bias=False)
        self.k = k

    def forward(self, xyz, features):
        knn_idx = square_distance(xyz, xyz).argsort(dim=-1)[:, :, : self.k]
        knn_xyz = index_points(xyz, knn_idx)
        x = self.fc1(features)
        q = self.w_qs(x)
        k = index_points(self.w_ks(x), knn_idx)
        v = index_points(self.w_vs(x), knn_idx)
        pos = self.fc_delta(xyz[:, :, None] - knn_xyz)
        attn = self.fc_gamma(q[:, :, None] - k + pos)
        attn = torch.softmax(attn / k.size(-1) ** 0.5, dim=-2)
        res = torch.einsum("bnkc,bnkc->bnc", attn, v + pos)
        return self.fc2(res) + features


class TransitionDown(nn.Module):
    def __init__(self, npoint, k, cin, cout):
        super().__init__()
        self.npoint, self.k = npoint, k
        self.conv = nn.Conv2d(cin + 3, cout, 1)
        self.bn = nn.BatchNorm2d(cout)

    def forward(self, xyz, features):
        new_xyz = xyz[:, : self.npoint]
        idx = square_distance(new_xyz, xyz).argsort(dim=-1)[:, :, : self.k]
        grouped_xyz = index_points(xyz, idx) - new_xyz[:, :, None]
        grouped = torch.cat([grouped_xyz, index_points(features, idx)], dim=-1)
        grouped = grouped.permute(0, 3, 2, 1)
        out = torch.relu(self.bn(self.conv(grouped)))
        return new_xyz, out.max(dim=2)[0].transpose(1, 2)


class PointTransformer(nn.Module):
    def __init__(self, npoints=128, blocks=2, k=8, classes=15):
        super().__init__()
        self.fc1 = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32))
        self.first = VectorAttention(32, 64, k)
        self.downs = nn.ModuleList()
        self.attns = nn.ModuleList()
        for i in range(blocks):
            channel = 32 * 2 ** (i + 1)
            self.downs.append(TransitionDown(npoints // 4 ** (i + 1), k, channel // 2, channel))
            self.attns.append(VectorAttention(channel, 64, k))
        self.head = nn.Sequential(nn.Linear(32 * 2**blocks, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, x):
        xyz = x[..., :3]
        features = self.first(xyz, self.fc1(x))
        for down, attn in zip(self.downs, self.attns):
            xyz, features = down(xyz, features)
            features = attn(xyz, features)
        return self.head(features.mean(1))


def augment(points):
    angle = torch.rand(points.size(0)) * 6.28
    zero, one = torch.zeros_like(angle), torch.ones_like(angle)
    rows = [angle.cos(), -angle.sin(), zero, angle.sin(), angle.cos(), zero, zero, zero, one]
    rotation = torch.stack(rows, dim=1).view(-1, 3, 3)
    return torch.cat([points[..., :3] @ rotation, points[..., 3:]], dim=-1)


def main():
    net = PointTransformer()
    opt = torch.optim.Adam(net.parameters())
    points, labels = torch.rand(4, 128, 6), torch.randint(0, 15, (4,))
    for _ in range(2):
        logits = net(augment(points))
        loss = nn.functional.cross_entropy(logits, labels, label_smoothing=0.2)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
