"""VAE for 64x64 faces."""
import torch
from torch import nn
import torch.nn.functional as F

LATENT = 64


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 32, 4, 2, 1),      # 32
            nn.LeakyReLU(0.2),
            nn.Conv2d(32, 64, 4, 2, 1),     # 16
            nn.BatchNorm2d(64),
            nn.LeakyReLU(0.2),
            nn.Conv2d(64, 128, 4, 2, 1),    # 8
            nn.BatchNorm2d(128),
            nn.LeakyReLU(0.2),
            nn.Conv2d(128, 256, 4, 2, 1),   # 4
            nn.LeakyReLU(0.2),
        )
        self.fc = nn.Linear(256 * 4 * 4, 512)

    def forward(self, x):
        h = self.net(x)
        h = F.leaky_relu(self.fc(h.flatten(1)), 0.2)
        return h


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(LATENT, 256 * 4 * 4)
        self.net = nn.Sequential(
            nn.ConvTranspose2d(256, 128, 4, 2, 1),
            nn.BatchNorm2d(128),
            nn.ReLU(),
            nn.ConvTranspose2d(128, 64, 4, 2, 1),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 3, 4, 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, z):
        h = F.relu(self.fc(z))
        h = h.view(h.size(0), 256, 4, 4)
        return self.net(h)


class VAE(nn.Module):
    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = beta
        self.encoder = Encoder()
        self.to_mu = nn.Linear(512, LATENT)
        self.to_logvar = nn.Linear(512, LATENT)
        self.decoder = Decoder()

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def forward(self, x):
        h = self.encoder(x)
        mu = self.to_mu(h)
        logvar = self.to_logvar(h)
        z = self.reparameterize(mu, logvar)
        recon = self.decoder(z)
        rec_loss = F.binary_cross_entropy(recon, x, reduction="sum") / x.size(0)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()
        return recon, rec_loss + self.beta * kl

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, LATENT, device=self.to_mu.weight.device)
        return self.decoder(z)
