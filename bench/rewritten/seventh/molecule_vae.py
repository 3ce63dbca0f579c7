"""VAE over molecular fingerprints."""
import torch
import torch.nn.functional as F
from torch import nn


class FingerprintVAE(nn.Module):
    def __init__(self, bits, hidden=48, latent=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(bits, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, bits))

    def encode(self, bits):
        h = self.enc(bits)
        return self.mean(h), self.logvar(h)

    def forward(self, bits):
        mean, logvar = self.encode(bits)
        std = (0.5 * logvar).exp()
        z = mean + std * torch.randn_like(std)
        return self.dec(z), mean, logvar


def elbo(bits, rebuilt, mean, logvar):
    rec = F.binary_cross_entropy_with_logits(rebuilt, bits, reduction="sum")
    kl = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum()
    return (rec + kl) / len(bits)


if __name__ == "__main__":
    torch.manual_seed(0)
    data = (torch.rand(64, 40) < 0.2).float()
    vae = FingerprintVAE(40)
    opt = torch.optim.Adam(vae.parameters(), lr=3e-3)
    for epoch in range(5):
        loss = elbo(data, *vae(data))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(epoch, float(loss.detach()))
