"""Variational autoencoder for digits, trained on binary cross entropy."""

import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, latent=20, width=32):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 4, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width * 2, 4, stride=2, padding=1),
            nn.BatchNorm2d(width * 2),
            nn.ReLU(),
        )
        self.mu = nn.Linear(width * 2 * 7 * 7, latent)
        self.logvar = nn.Linear(width * 2 * 7 * 7, latent)
        self.expand = nn.Linear(latent, width * 2 * 7 * 7)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(width * 2, width, 4, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),
        )

    def forward(self, x):
        h = self.encoder(x).flatten(1)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        h = self.expand(z)
        h = h.view(h.size(0), -1, 7, 7)
        logits = self.decoder(h)
        reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return logits, reconstruction + divergence


if __name__ == "__main__":
    images = torch.rand(8, 1, 28, 28)
    print(VAE()(images)[1].item())
