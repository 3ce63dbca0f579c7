"""Two views, their keypoints, and which belong together: a small SuperPoint with a small SuperGlue behind."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class KeypointNet(nn.Module):
    def __init__(self, desc_dim=64):
        super().__init__()
        c1, c2, c3 = 16, 32, 64
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv1a = nn.Conv2d(1, c1, 3, padding=1)
        self.conv1b = nn.Conv2d(c1, c1, 3, padding=1)
        self.conv2a = nn.Conv2d(c1, c2, 3, padding=1)
        self.conv2b = nn.Conv2d(c2, c2, 3, padding=1)
        self.conv3a = nn.Conv2d(c2, c3, 3, padding=1)
        self.conv3b = nn.Conv2d(c3, c3, 3, padding=1)
        self.convPa = nn.Conv2d(c3, 96, 3, padding=1)
        self.convPb = nn.Conv2d(96, 65, 1)
        self.convDa = nn.Conv2d(c3, 96, 3, padding=1)
        self.convDb = nn.Conv2d(96, desc_dim, 1)

    def forward(self, image):
        x = self.relu(self.conv1b(self.relu(self.conv1a(image))))
        x = self.pool(x)
        x = self.relu(self.conv2b(self.relu(self.conv2a(x))))
        x = self.pool(x)
        x = self.relu(self.conv3b(self.relu(self.conv3a(x))))
        x = self.pool(x)
        scores = self.convPb(self.relu(self.convPa(x)))
        scores = F.softmax(scores, 1)[:, :-1]
        b, _, h, w = scores.shape
        scores = scores.permute(0, 2, 3, 1).reshape(b, h, w, 8, 8)
        scores = scores.permute(0, 1, 3, 2, 4).reshape(b, h * 8, w * 8)
        desc = F.normalize(self.convDb(self.relu(self.convDa(x))), p=2, dim=1)
        return scores, desc


def top_keypoints(scores, k):
    b, h, w = scores.shape
    values, idx = scores.flatten(1).topk(k, dim=1)
    kpts = torch.stack([idx % w, torch.div(idx, w, rounding_mode="floor")], dim=-1).float()
    return kpts, values


def sample_descriptors(kpts, desc, s=8):
    b, c, h, w = desc.shape
    kpts = (kpts - s / 2 + 0.5) / torch.tensor([w * s - s / 2 - 0.5, h * s - s / 2 - 0.5])
    grid = kpts * 2 - 1
    out = F.grid_sample(desc, grid.view(b, 1, -1, 2), mode="bilinear", align_corners=True)
    return F.normalize(out.reshape(b, c, -1), p=2, dim=1)


def mlp(channels):
    layers = []
    for i in range(1, len(channels)):
        layers.append(nn.Conv1d(channels[i - 1], channels[i], kernel_size=1))
        if i < len(channels) - 1:
            layers += [nn.BatchNorm1d(channels[i]), nn.ReLU()]
    return nn.Sequential(*layers)


class KeypointEncoder(nn.Module):
    def __init__(self, dim, layers=(16, 32)):
        super().__init__()
        self.encoder = mlp([3, *layers, dim])

    def forward(self, kpts, scores):
        inputs = [kpts.transpose(1, 2), scores.unsqueeze(1)]
        return self.encoder(torch.cat(inputs, dim=1))


class MultiHeadedAttention(nn.Module):
    def __init__(self, num_heads, d_model):
        super().__init__()
        self.dim = d_model // num_heads
        self.num_heads = num_heads
        self.merge = nn.Conv1d(d_model, d_model, kernel_size=1)
        self.proj = nn.ModuleList([nn.Conv1d(d_model, d_model, 1) for _ in range(3)])

    def forward(self, query, key, value):
        b = query.size(0)
        query, key, value = [
            layer(x).view(b, self.dim, self.num_heads, -1) for layer, x in zip(self.proj, (query, key, value))
        ]
        scores = torch.einsum("bdhn,bdhm->bhnm", query, key) / self.dim**0.5
        x = torch.einsum("bhnm,bdhm->bdhn", scores.softmax(dim=-1), value)
        return self.merge(x.contiguous().view(b, self.dim * self.num_heads, -1))


class AttentionalPropagation(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.attn = MultiHeadedAttention(num_heads, dim)
        self.mlp = mlp([dim * 2, dim * 2, dim])

    def forward(self, x, source):
        message = self.attn(x, source, source)
        return self.mlp(torch.cat([x, message], dim=1))


class Matcher(nn.Module):
    def __init__(self, dim=64, heads=4, names=("self", "cross", "self", "cross"), iters=5):
        super().__init__()
        self.kenc = KeypointEncoder(dim)
        self.names, self.iters = names, iters
        self.layers = nn.ModuleList([AttentionalPropagation(dim, heads) for _ in names])
        self.final_proj = nn.Conv1d(dim, dim, 1)
        self.bin_score = nn.Parameter(torch.tensor(1.0))

    def couplings(self, scores):
        b, m, n = scores.shape
        bins0 = self.bin_score.expand(b, m, 1)
        bins1 = self.bin_score.expand(b, 1, n)
        corner = self.bin_score.expand(b, 1, 1)
        return torch.cat([torch.cat([scores, bins0], -1), torch.cat([bins1, corner], -1)], 1)

    def sinkhorn(self, Z):
        b, m, n = Z.shape
        log_mu = torch.cat([torch.zeros(m - 1), torch.tensor([float(n - 1)]).log()]).expand(b, -1)
        log_nu = torch.cat([torch.zeros(n - 1), torch.tensor([float(m - 1)]).log()]).expand(b, -1)
        u, v = torch.zeros_like(log_mu), torch.zeros_like(log_nu)
        for _ in range(self.iters):
            u = log_mu - torch.logsumexp(Z + v.unsqueeze(1), dim=2)
            v = log_nu - torch.logsumexp(Z + u.unsqueeze(2), dim=1)
        return Z + u.unsqueeze(2) + v.unsqueeze(1)

    def forward(self, kpts0, scores0, desc0, kpts1, scores1, desc1):
        desc0 = desc0 + self.kenc(kpts0, scores0)
        desc1 = desc1 + self.kenc(kpts1, scores1)
        for layer, name in zip(self.layers, self.names):
            src0, src1 = (desc1, desc0) if name == "cross" else (desc0, desc1)
            desc0, desc1 = desc0 + layer(desc0, src0), desc1 + layer(desc1, src1)
        m0, m1 = self.final_proj(desc0), self.final_proj(desc1)
        scores = torch.einsum("bdn,bdm->bnm", m0, m1) / m0.shape[1] ** 0.5
        return self.sinkhorn(self.couplings(scores))


def main():
    net, matcher = KeypointNet(), Matcher()
    view0, view1 = torch.rand(2, 1, 96, 128), torch.rand(2, 1, 64, 96)
    (s0, d0), (s1, d1) = net(view0), net(view1)
    k0, v0 = top_keypoints(s0, 50)
    k1, v1 = top_keypoints(s1, 40)
    Z = matcher(k0, v0, sample_descriptors(k0, d0), k1, v1, sample_descriptors(k1, d1))
    truth = torch.randint(0, 41, (2, 50))
    loss = F.nll_loss(Z[:, :-1].transpose(1, 2), truth)
    loss.backward()
    print(Z.shape, loss.item())


if __name__ == "__main__":
    main()
