"""Parts of point clouds by dynamic graphs (EdgeConv), with a transform net and the category of the object."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def knn(x, k):
    # x: (B, C, N)
    inner = -2 * torch.matmul(x.transpose(2, 1), x)
    xx = torch.sum(x**2, dim=1, keepdim=True)
    distance = -xx - inner - xx.transpose(2, 1)
    return distance.topk(k=k, dim=-1)[1]


def get_graph_feature(x, k):
    B, C, N = x.shape
    idx = knn(x, k)
    base = torch.arange(B, device=x.device).view(-1, 1, 1) * N
    idx = (idx + base).view(-1)
    x = x.transpose(2, 1).contiguous()
    feature = x.view(B * N, -1)[idx, :].view(B, N, k, C)
    x = x.view(B, N, 1, C).repeat(1, 1, k, 1)
    return torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()


def block2d(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 1, bias=False), nn.BatchNorm2d(c_out), nn.LeakyReLU(0.2))


def block1d(c_in, c_out):
    return nn.Sequential(nn.Conv1d(c_in, c_out, 1, bias=False), nn.BatchNorm1d(c_out), nn.LeakyReLU(0.2))


class TransformNet(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.conv = nn.Sequential(block2d(2 * k, 16), block2d(16, 32))
        self.wide = block1d(32, 64)
        self.fc = nn.Sequential(nn.Linear(64, 32), nn.LeakyReLU(0.2))
        self.matrix = nn.Linear(32, k * k)
        nn.init.zeros_(self.matrix.weight)
        nn.init.eye_(self.matrix.bias.data.view(k, k))

    def forward(self, edges):
        x = self.conv(edges).max(dim=-1)[0]
        x = self.wide(x).max(dim=-1)[0]
        return self.matrix(self.fc(x)).view(-1, self.k, self.k)


class DGCNNPart(nn.Module):
    def __init__(self, num_parts=8, num_objects=4, k=10, emb_dims=96, widths=(16, 16, 32)):
        super().__init__()
        self.k, self.num_objects = k, num_objects
        self.transform = TransformNet()
        self.edge_convs = nn.ModuleList()
        c = 3
        for w in widths:
            self.edge_convs.append(nn.Sequential(block2d(2 * c, w), block2d(w, w)))
            c = w
        total = sum(widths)
        self.global_mlp = block1d(total, emb_dims)
        self.label_mlp = block1d(num_objects, 16)
        self.head = nn.Sequential(
            block1d(emb_dims + 16 + total, 64), nn.Dropout(0.5), block1d(64, 32), nn.Conv1d(32, num_parts, 1)
        )

    def forward(self, points, category):
        x = points.transpose(1, 2)
        N = x.size(2)
        t = self.transform(get_graph_feature(x, self.k))
        x = torch.bmm(x.transpose(2, 1), t).transpose(2, 1)
        feats = []
        for conv in self.edge_convs:
            x = conv(get_graph_feature(x, self.k)).max(dim=-1, keepdim=False)[0]
            feats.append(x)
        local = torch.cat(feats, dim=1)
        top = self.global_mlp(local).max(dim=-1, keepdim=True)[0]
        label = F.one_hot(category, self.num_objects).float().unsqueeze(-1)
        top = torch.cat((top, self.label_mlp(label)), dim=1).expand(-1, -1, N)
        return self.head(torch.cat((top, local), dim=1)).permute(0, 2, 1)


def cal_loss(pred, gold, smoothing=0.2):
    n_class = pred.size(1)
    one_hot = torch.zeros_like(pred).scatter(1, gold.view(-1, 1), 1)
    one_hot = one_hot * (1 - smoothing) + (1 - one_hot) * smoothing / (n_class - 1)
    return -(one_hot * F.log_softmax(pred, dim=1)).sum(dim=1).mean()


def farthest_point_sample(points, n):
    B, N, _ = points.shape
    chosen = torch.zeros(B, n, dtype=torch.long)
    distance = torch.full((B, N), 1e10)
    farthest = torch.zeros(B, dtype=torch.long)
    rows = torch.arange(B)
    for i in range(n):
        chosen[:, i] = farthest
        centre = points[rows, farthest].unsqueeze(1)
        distance = torch.minimum(distance, ((points - centre) ** 2).sum(-1))
        farthest = distance.argmax(dim=-1)
    return torch.gather(points, 1, chosen.unsqueeze(-1).expand(-1, -1, points.size(-1))), chosen


def main():
    clouds, parts = torch.randn(3, 80, 3), torch.randint(8, (3, 80))
    category = torch.randint(4, (3,))
    clouds, chosen = farthest_point_sample(clouds, 64)
    parts = parts.gather(1, chosen)
    model = DGCNNPart()
    logits = model(clouds, category)
    loss = cal_loss(logits.reshape(-1, logits.size(-1)), parts.reshape(-1))
    loss.backward()


if __name__ == "__main__":
    main()
