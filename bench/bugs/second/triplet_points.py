"""Point clouds that are compared: neighbours in space, edge convolutions, a triplet loss (after DGCNN)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def knn(x, k):
    inner = -2 * torch.matmul(x.transpose(2, 1), x)
    xx = torch.sum(x**2, dim=1, keepdim=True)
    pairwise = -xx - inner - xx.transpose(2, 1)
    return pairwise.topk(k=k, dim=-1)[1]


def get_graph_feature(x, k=12):
    batch_size, num_dims, num_points = x.size()
    idx = knn(x, k)
    x = x.transpose(2, 1).contiguous()
    index = idx.reshape(batch_size, -1, 1).expand(-1, -1, num_dims)
    feature = torch.gather(x, 1, index).view(batch_size, num_points, k, num_dims)
    x = x.view(batch_size, num_points, 1, num_dims).repeat(1, 1, k, 1)
    return torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()


class EdgeConv(nn.Module):
    def __init__(self, in_dim, out_dim, k):
        super().__init__()
        self.k = k
        self.conv = nn.Sequential(
            nn.Conv2d(in_dim * 2, out_dim, kernel_size=1, bias=False), nn.BatchNorm2d(out_dim), nn.LeakyReLU(0.2)
        )

    def forward(self, x):
        x = self.conv(get_graph_feature(x, self.k))
        return x.max(dim=-1, keepdim=False)[0]


class CloudEncoder(nn.Module):
    def __init__(self, k=12, emb_dims=64, out=32):
        super().__init__()
        self.conv1 = EdgeConv(3, 24, k)
        self.conv2 = EdgeConv(24, 40, k)
        self.conv3 = nn.Sequential(nn.Conv1d(64, emb_dims, 1), nn.BatchNorm1d(emb_dims), nn.LeakyReLU(0.2))
        self.linear1 = nn.Linear(emb_dims * 2, 48, bias=False)
        self.bn = nn.BatchNorm1d(48)
        self.linear2 = nn.Linear(48, out)

    def forward(self, x):
        batch_size = x.size(0)
        x1 = self.conv1(x)
        x2 = self.conv2(x1)
        x = self.conv3(torch.cat((x1, x2), dim=1))
        p1 = F.adaptive_max_pool1d(x, 1).view(batch_size, -1)
        p2 = F.adaptive_avg_pool1d(x, 1).view(batch_size, -1)
        x = torch.cat((p1, p2), 1)
        x = F.leaky_relu(self.bn(self.linear1(x)), 0.2)
        return F.normalize(self.linear2(x), dim=-1)


class Triplet(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.encoder = CloudEncoder()
        self.margin = margin
        self.temperature = nn.Parameter(torch.tensor(0.07))

    def forward(self, anchor, positive, negative):
        a, p, n = (self.encoder(x) for x in (anchor, positive, negative))
        loss = F.triplet_margin_loss(a, p, n, margin=self.margin)
        sims = a @ p.t() / self.temperature
        contrast = F.cross_entropy(sims, torch.arange(a.size(0)))
        return loss + contrast


if __name__ == "__main__":
    clouds = torch.randn(3, 8, 3, 60)
    Triplet()(clouds[0], clouds[1], clouds[2])
