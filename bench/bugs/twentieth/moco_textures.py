"""Momentum contrast over textures, then a linear probe and nearest neighbours."""

import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class TwoViews:
    def __init__(self, crop):
        self.crop = crop

    def view(self, image):
        top, left = torch.randint(0, image.shape[1] - self.crop + 1, (2,)).tolist()
        image = image[:, top : top + self.crop, left : left + self.crop]
        return image * (0.8 + 0.4 * torch.rand(3, 1, 1)) + 0.05 * torch.randn_like(image)

    def __call__(self, image):
        return self.view(image), self.view(image)


class Textures(Dataset):
    def __init__(self, n, transform=None, size=40):
        self.n, self.transform, self.size = n, transform, size

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        label = idx % 4
        ramp = torch.linspace(0, 1, self.size) * (label + 1) * 6
        image = torch.sin(ramp[:, None] + ramp[None]).expand(3, -1, -1)
        if self.transform is not None:
            return self.transform(image), label
        return image, label


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Identity()
        if stride != 1 or inplanes != planes * self.expansion:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inplanes, planes * self.expansion, 1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * self.expansion),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.shortcut(x))


class SmallResNet(nn.Module):
    def __init__(self, widths=(32, 64, 128), blocks=(1, 1, 1)):
        super().__init__()
        self.inplanes = widths[0]
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 3, padding=1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()
        )
        self.layers = nn.ModuleList()
        for i, (width, count) in enumerate(zip(widths, blocks)):
            self.layers.append(self._make_layer(width, count, stride=1 if i == 0 else 2))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.out_features = widths[-1]

    def _make_layer(self, planes, blocks, stride):
        layers = [BasicBlock(self.inplanes, planes, stride)]
        self.inplanes = planes
        for _ in range(1, blocks):
            layers.append(BasicBlock(planes, planes))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return torch.flatten(self.pool(x), 1)


class Projector(nn.Module):
    def __init__(self, dim_in, dim_hidden, dim_out):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(dim_in, dim_hidden), nn.BatchNorm1d(dim_hidden), nn.ReLU(), nn.Linear(dim_hidden, dim_out)
        )

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)


class MoCo(nn.Module):
    def __init__(self, encoder, dim=48, queue=64, momentum=0.99, temperature=0.1):
        super().__init__()
        self.query = nn.Sequential(encoder, Projector(encoder.out_features, 96, dim))
        self.key = copy.deepcopy(self.query)
        for p in self.key.parameters():
            p.requires_grad = False
        self.momentum, self.temperature, self.size = momentum, temperature, queue
        self.register_buffer("queue", F.normalize(torch.randn(dim, queue), dim=0))
        self.pointer = 0

    @torch.no_grad()
    def update_key(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.data = k.data * self.momentum + q.data * (1 - self.momentum)

    @torch.no_grad()
    def enqueue(self, keys):
        n = keys.shape[0]
        self.queue[:, self.pointer : self.pointer + n] = keys.t()
        self.pointer = (self.pointer + n) % self.size

    def forward(self, im_q, im_k):
        q = self.query(im_q)
        with torch.no_grad():
            self.update_key()
            k = self.key(im_k)
        positive = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        negative = torch.einsum("nc,ck->nk", q, self.queue.clone())
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self.enqueue(k)
        return F.cross_entropy(logits, labels), k


def uniformity(z, t=2):
    distances = torch.cdist(z, z).pow(2)
    off = ~torch.eye(len(z), dtype=torch.bool)
    return distances[off].mul(-t).exp().mean().log()


def pretrain(model, loader, epochs):
    opt = torch.optim.SGD(model.query.parameters(), lr=0.03, momentum=0.9)
    for _ in range(epochs):
        for (a, b), _ in loader:
            loss, keys = model(a, b)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(loss.item(), uniformity(keys).item())


@torch.no_grad()
def embed(encoder, loader):
    encoder.eval()
    features, labels = zip(*[(encoder(x), y) for x, y in loader])
    return torch.cat(features), torch.cat(labels)


def knn(train_x, train_y, x, y, k=5):
    similarity = F.normalize(x, dim=1) @ F.normalize(train_x, dim=1).t()
    weight, index = similarity.topk(k, dim=1)
    votes = torch.zeros(len(x), 4)
    votes.scatter_add_(1, train_y[index], weight.exp())
    return (votes.argmax(dim=1) == y).float().mean().item()


def probe(features, labels, steps=5):
    head = nn.Linear(features.shape[1], 4)
    opt = torch.optim.LBFGS(head.parameters(), max_iter=steps)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(head(features), labels)
        loss.backward()
        return loss

    opt.step(closure)
    return (head(features).argmax(1) == labels).float().mean().item()


def main():
    encoder = SmallResNet()
    model = MoCo(encoder)
    pretrain(model, DataLoader(Textures(32, TwoViews(32)), batch_size=8), epochs=1)
    train_x, train_y = embed(encoder, DataLoader(Textures(24), batch_size=8))
    test_x, test_y = embed(encoder, DataLoader(Textures(8), batch_size=8))
    print("knn", knn(train_x, train_y, test_x, test_y), "probe", probe(train_x, train_y))


main()
