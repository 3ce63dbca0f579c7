"""A VAE of digits, and a GAN that is told which digit to draw."""

import torch
from torch import nn, optim
from torch.nn import functional as F

LATENT, NOISE = 20, 100


class ConvVAE(nn.Module):
    def __init__(self, latent=LATENT):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, 32, 4, stride=2, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2, padding=1), nn.ReLU()
        )
        self.mu = nn.Linear(64 * 7 * 7, latent)
        self.logvar = nn.Linear(64 * 7 * 7, latent)
        self.fc = nn.Linear(latent, 64 * 7 * 7)
        self.dec = nn.Sequential(
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1),
            nn.Sigmoid(),
        )

    def encode(self, x):
        h = self.enc(x).flatten(1)
        return self.mu(h), self.logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return self.dec(self.fc(z).view(-1, 64, 7, 7))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def vae_loss(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


class Generator(nn.Module):
    def __init__(self, noise=NOISE, classes=10, width=64):
        super().__init__()
        self.label = nn.Embedding(classes, classes)
        self.net = nn.Sequential(
            nn.ConvTranspose2d(noise + classes, width * 4, 7),
            nn.BatchNorm2d(width * 4),
            nn.ReLU(True),
            nn.ConvTranspose2d(width * 4, width, 4, 2, 1),
            nn.BatchNorm2d(width),
            nn.ReLU(True),
            nn.ConvTranspose2d(width, 1, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, z, y):
        z = torch.cat([z, self.label(y)], dim=1)
        return self.net(z[:, :, None, None])


class Discriminator(nn.Module):
    def __init__(self, classes=10, width=64):
        super().__init__()
        self.label = nn.Embedding(classes, 28 * 28)
        self.net = nn.Sequential(
            nn.Conv2d(2, width, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(width, width * 2, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
            nn.Linear(width * 2 * 7 * 7, 1),
        )

    def forward(self, x, y):
        y = self.label(y).view(-1, 1, 28, 28)
        return self.net(torch.cat([x, y], 1))


def train_vae(images):
    vae = ConvVAE()
    opt = optim.Adam(vae.parameters(), 1e-3)
    for _ in range(2):
        recon, mu, logvar = vae(images)
        loss = vae_loss(recon, images, mu, logvar)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return vae.decode(torch.randn(4, LATENT))


def train_gan(images, digits):
    G, D = Generator(), Discriminator()
    opt_g, opt_d = optim.Adam(G.parameters()), optim.Adam(D.parameters())
    criterion = nn.BCEWithLogitsLoss()
    batch = images.size(0)
    real, fake = torch.ones(batch, 1), torch.zeros(batch, 1)
    for _ in range(2):
        z = torch.randn(batch, NOISE)
        generated = G(z, digits)
        d_loss = criterion(D(images, digits), real) + criterion(D(generated.detach(), digits), fake)
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()
        g_loss = criterion(D(generated, digits), real)
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
    return g_loss


if __name__ == "__main__":
    images, digits = torch.rand(32, 1, 28, 28), torch.randint(0, 10, (32,))
    print(train_vae(images).shape)
    print(train_gan(images, digits))
