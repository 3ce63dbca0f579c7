"""Exploration by noisy weights instead of an epsilon."""
import torch
from torch import nn


class NoisyDense(nn.Module):
    def __init__(self, n_in, n_out, sigma=0.4):
        super().__init__()
        bound = n_in**-0.5
        self.w_mu = nn.Parameter(torch.empty(n_out, n_in).uniform_(-bound, bound))
        self.w_sigma = nn.Parameter(torch.full((n_out, n_in), sigma * bound))
        self.b_mu = nn.Parameter(torch.empty(n_out).uniform_(-bound, bound))
        self.b_sigma = nn.Parameter(torch.full((n_out,), sigma * bound))

    def forward(self, x):
        w, b = self.w_mu, self.b_mu
        if self.training:
            w = w + self.w_sigma * torch.randn_like(self.w_sigma)
            b = b + self.b_sigma * torch.randn_like(self.b_sigma)
        out = torch.matmul(x, w.t())
        return out + b


class QNet(nn.Module):
    def __init__(self, obs=4, actions=3):
        super().__init__()
        self.net = nn.Sequential(NoisyDense(obs, 32), nn.ReLU(), NoisyDense(32, actions))

    def forward(self, obs):
        return self.net(obs)


def td_loss(q, target_q, batch, gamma=0.98):
    obs, act, rew, nxt, done = batch
    with torch.no_grad():
        best = target_q(nxt).max(dim=1).values
        goal = rew + gamma * best * (~done)
    taken = q(obs).gather(1, act[:, None]).squeeze(1)
    return nn.functional.smooth_l1_loss(taken, goal)


if __name__ == "__main__":
    torch.manual_seed(15)
    q, target_q = QNet(), QNet().eval()
    batch = (torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16), torch.randn(16, 4), torch.rand(16) < 0.1)
    loss = td_loss(q, target_q, batch)
    loss.backward()
    print(loss)
