"""An attentive neural process: functions from a few of their points."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal, kl_divergence


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class LatentEncoder(nn.Module):
    def __init__(self, x_dim, y_dim, hidden, latent):
        super().__init__()
        self.points = mlp([x_dim + y_dim, hidden, hidden])
        self.stats = nn.Linear(hidden, 2 * latent)

    def forward(self, x, y):
        h = self.points(torch.cat([x, y], dim=-1)).mean(dim=1)
        mu, log_sigma = self.stats(h).chunk(2, dim=-1)
        return Normal(mu, 0.1 + 0.9 * torch.sigmoid(log_sigma))


class CrossAttention(nn.Module):
    def __init__(self, x_dim, hidden, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(x_dim, hidden)
        self.to_k = nn.Linear(x_dim, hidden)
        self.to_v = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, hidden)

    def split(self, x):
        b, n, d = x.shape
        return x.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, context, values, target):
        q, k, v = self.split(self.to_q(target)), self.split(self.to_k(context)), self.split(self.to_v(values))
        weights = F.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1)
        out = (weights @ v).transpose(1, 2)
        return self.out(out.reshape(target.size(0), target.size(1), -1))


class DeterministicEncoder(nn.Module):
    def __init__(self, x_dim, y_dim, hidden, heads):
        super().__init__()
        self.points = mlp([x_dim + y_dim, hidden, hidden])
        self.attend = CrossAttention(x_dim, hidden, heads)

    def forward(self, x, y, target):
        r = self.points(torch.cat([x, y], dim=-1))
        return self.attend(x, r, target)


class Decoder(nn.Module):
    def __init__(self, x_dim, y_dim, hidden, latent):
        super().__init__()
        self.net = mlp([x_dim + hidden + latent, hidden, hidden, 2 * y_dim])

    def forward(self, target, r, z):
        z = z.unsqueeze(1).expand(-1, target.size(1), -1)
        mu, log_sigma = self.net(torch.cat([target, r, z], dim=-1)).chunk(2, dim=-1)
        return Normal(mu, 0.1 + 0.9 * F.softplus(log_sigma))


class NeuralProcess(nn.Module):
    def __init__(self, x_dim=2, y_dim=3, hidden=64, latent=32, heads=4):
        super().__init__()
        self.latent = LatentEncoder(x_dim, y_dim, hidden, latent)
        self.deterministic = DeterministicEncoder(x_dim, y_dim, hidden, heads)
        self.decoder = Decoder(x_dim, y_dim, hidden, latent)

    def forward(self, context_x, context_y, target_x, target_y=None):
        prior = self.latent(context_x, context_y)
        post = self.latent(target_x, target_y) if target_y is not None else prior
        z = post.rsample()
        r = self.deterministic(context_x, context_y, target_x)
        dist = self.decoder(target_x, r, z)
        if target_y is None:
            return dist
        log_p = dist.log_prob(target_y).sum(dim=-1)
        kl = kl_divergence(post, prior).sum(dim=-1, keepdim=True)
        return dist, -(log_p - kl / target_x.size(1)).mean()


def sample_task(batch=8, points=40):
    x = torch.rand(batch, points, 2) * 2 - 1
    freq = torch.rand(batch, 1, 3) * 5
    y = torch.sin(freq * x.sum(dim=-1, keepdim=True))
    return x, y


def main():
    model = NeuralProcess()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        x, y = sample_task()
        n = 10
        _, loss = model(x[:, :n], y[:, :n], x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        x, y = sample_task(batch=4)
        dist = model(x[:, :15], y[:, :15], x)
        print(((dist.mean - y) ** 2).mean().item())


if __name__ == "__main__":
    main()
