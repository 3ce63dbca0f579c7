"""Sparse variational Gaussian process on the features of a small net (deep kernel learning)."""

import math

import torch
from torch import nn


class FeatureNet(nn.Sequential):
    def __init__(self, d_in, d_out, hidden=(64, 64)):
        layers, d = [], d_in
        for h in hidden:
            layers += [nn.Linear(d, h), nn.LayerNorm(h), nn.GELU()]
            d = h
        layers.append(nn.Linear(d, d_out))
        super().__init__(*layers)


class RBFKernel(nn.Module):
    """One kernel per latent process, with a length scale for each feature."""

    def __init__(self, num_latents, dim):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(num_latents, 1, dim))
        self.log_var = nn.Parameter(torch.zeros(num_latents))

    def forward(self, x, z):
        scale = self.log_scale.exp()
        x, z = x / scale, z / scale
        dist = torch.cdist(x, z).pow(2)
        return self.log_var.exp()[:, None, None] * torch.exp(-0.5 * dist)

    def diag(self, x):
        return self.log_var.exp()[:, None].expand(-1, x.size(-2))


class SVGP(nn.Module):
    def __init__(self, d_in, num_tasks=4, num_latents=3, num_inducing=20, d_feat=6, jitter=1e-4):
        super().__init__()
        self.features = FeatureNet(d_in, d_feat)
        self.kernel = RBFKernel(num_latents, d_feat)
        self.z = nn.Parameter(torch.randn(num_latents, num_inducing, d_feat))
        self.q_mu = nn.Parameter(torch.zeros(num_latents, num_inducing))
        self.q_sqrt = nn.Parameter(torch.eye(num_inducing).repeat(num_latents, 1, 1))
        self.mixing = nn.Parameter(torch.randn(num_tasks, num_latents) / math.sqrt(num_latents))
        self.log_noise = nn.Parameter(torch.zeros(num_tasks))
        self.jitter = jitter

    def latent(self, x):
        h = self.features(x).unsqueeze(0)
        eye = torch.eye(self.z.size(1), device=x.device)
        Kzz = self.kernel(self.z, self.z) + self.jitter * eye
        Kzx = self.kernel(self.z, h)
        L = torch.linalg.cholesky(Kzz)
        A = torch.linalg.solve_triangular(L, Kzx, upper=False)
        mean = torch.einsum("lmn,lm->ln", A, self.q_mu)
        SA = self.q_sqrt.tril().transpose(-1, -2) @ A
        var = self.kernel.diag(h) - A.pow(2).sum(-2) + SA.pow(2).sum(-2)
        return mean, var.clamp(min=1e-6)

    def forward(self, x):
        mean, var = self.latent(x)
        return mean.t() @ self.mixing.t(), var.t() @ self.mixing.pow(2).t()

    def kl(self):
        L = self.q_sqrt.tril()
        trace = L.pow(2).sum((-1, -2))
        logdet = 2 * L.diagonal(dim1=-2, dim2=-1).abs().clamp(min=1e-6).log().sum(-1)
        mahalanobis = self.q_mu.pow(2).sum(-1)
        return 0.5 * (trace + mahalanobis - logdet - self.q_mu.size(1)).sum()

    def elbo(self, x, y, num_data):
        mean, var = self(x)
        noise = self.log_noise.exp()
        fit = -0.5 * (math.log(2 * math.pi) + self.log_noise + ((y - mean).pow(2) + var) / noise)
        return fit.sum(-1).mean() - self.kl() / num_data


def fit(x, y, epochs=2, batch_size=32):
    model = SVGP(x.size(1), num_tasks=y.size(1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for idx in order.split(batch_size):
            loss = -model.elbo(x[idx], y[idx], len(x))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


@torch.no_grad()
def expected_improvement(model, candidates, best):
    mean, var = model(candidates)
    sigma = var.sqrt()
    gain = mean - best
    u = gain / sigma
    normal = torch.distributions.Normal(torch.zeros_like(u), torch.ones_like(u))
    return (gain * normal.cdf(u) + sigma * normal.log_prob(u).exp()).sum(-1)


def main():
    x = torch.rand(96, 8)
    y = torch.stack([x.sum(1), x[:, 0] * x[:, 1], x.prod(1), x.amax(1)], dim=1)
    model = fit(x, y)
    candidates = torch.rand(50, 8)
    score = expected_improvement(model, candidates, y.amax(0))
    print(candidates[score.argmax()])


if __name__ == "__main__":
    main()
