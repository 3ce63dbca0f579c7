"""Latent dynamics for a pendulum: posterior against prior, diagonal Gaussians."""
import torch
from torch import nn


def gaussian_kl(mu_q, lv_q, mu_p, lv_p):
    spread = torch.exp(lv_q) / torch.exp(lv_p)
    shift = (mu_q - mu_p).square() / torch.exp(lv_p)
    per_dim = lv_p - lv_q + spread + shift
    return 0.5 * (per_dim - 1).sum(dim=-1).mean()


class Latent(nn.Module):
    def __init__(self, obs=3, act=1, z=6):
        super().__init__()
        self.prior = nn.Sequential(nn.Linear(z + act, 32), nn.Tanh(), nn.Linear(32, 2 * z))
        self.posterior = nn.Sequential(nn.Linear(z + act + obs, 32), nn.Tanh(), nn.Linear(32, 2 * z))
        self.decode = nn.Linear(z, obs)
        self.z = z

    def forward(self, obs, act):
        z = obs.new_zeros(obs.shape[0], self.z)
        kl = obs.new_zeros(())
        rec = obs.new_zeros(())
        for o, a in zip(obs.unbind(1), act.unbind(1)):
            context = torch.cat([z, a], dim=-1)
            mu_p, lv_p = self.prior(context).chunk(2, dim=-1)
            mu_q, lv_q = self.posterior(torch.cat([context, o], dim=-1)).chunk(2, dim=-1)
            z = mu_q + (0.5 * lv_q).exp() * torch.randn_like(mu_q)
            kl = kl + gaussian_kl(mu_q, lv_q, mu_p, lv_p)
            rec = rec + (self.decode(z) - o).pow(2).sum(-1).mean()
        return rec + kl


if __name__ == "__main__":
    torch.manual_seed(7)
    loss = Latent()(torch.randn(4, 10, 3), torch.randn(4, 10, 1))
    loss.backward()
    print(loss)
