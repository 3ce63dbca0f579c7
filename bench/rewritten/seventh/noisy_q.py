"""Q-network with factorised noise in its last layers."""
import math

import torch
from torch import nn


def squashed(n):
    e = torch.randn(n)
    return e.sign() * e.abs().sqrt()


class NoisyDense(nn.Module):
    def __init__(self, fan_in, fan_out, sigma=0.5):
        super().__init__()
        r = 1 / math.sqrt(fan_in)
        self.w_mu = nn.Parameter(torch.empty(fan_out, fan_in).uniform_(-r, r))
        self.w_sigma = nn.Parameter(torch.full((fan_out, fan_in), sigma * r))
        self.b_mu = nn.Parameter(torch.empty(fan_out).uniform_(-r, r))
        self.b_sigma = nn.Parameter(torch.full((fan_out,), sigma * r))
        self.register_buffer("eps_in", torch.zeros(fan_in))
        self.register_buffer("eps_out", torch.zeros(fan_out))

    def resample(self):
        self.eps_in.copy_(squashed(len(self.eps_in)))
        self.eps_out.copy_(squashed(len(self.eps_out)))

    def forward(self, x):
        w = self.w_mu + self.w_sigma * torch.outer(self.eps_out, self.eps_in)
        b = self.b_mu + self.b_sigma * self.eps_out
        out = torch.mm(x, w.t())
        return out.add(b)


class QNet(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.ReLU())
        self.head = NoisyDense(32, actions)

    def forward(self, obs):
        return self.head(self.body(obs))


if __name__ == "__main__":
    torch.manual_seed(0)
    q = QNet(6, 3)
    obs = torch.randn(4, 6)
    for _ in range(2):
        q.head.resample()
        print(q(obs).argmax(1))
