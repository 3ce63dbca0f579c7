"""A VAE whose reconstructions a discriminator judges, on small pictures."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

latent_dim = 32
image_size = 32
channels = 3


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 32, 4, 2, 1)
        self.conv2 = nn.Conv2d(32, 64, 4, 2, 1)
        self.bn2 = nn.BatchNorm2d(64)
        self.conv3 = nn.Conv2d(64, 128, 4, 2, 1)
        self.bn3 = nn.BatchNorm2d(128)
        self.fc_mu = nn.Linear(128 * 4 * 4, latent_dim)
        self.fc_logvar = nn.Linear(128 * 4 * 4, latent_dim)

    def forward(self, x):
        x = F.leaky_relu(self.conv1(x), 0.2)
        x = F.leaky_relu(self.bn2(self.conv2(x)), 0.2)
        x = F.leaky_relu(self.bn3(self.conv3(x)), 0.2)
        x = x.view(x.size(0), -1)
        return self.fc_mu(x), self.fc_logvar(x)


class Decoder(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.label_emb = nn.Embedding(n_classes, 8)
        self.fc = nn.Linear(latent_dim + 8, 128 * 4 * 4)
        self.net = nn.Sequential(
            nn.BatchNorm2d(128),
            nn.ConvTranspose2d(128, 64, 4, 2, 1),
            nn.BatchNorm2d(64),
            nn.ReLU(True),
            nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.BatchNorm2d(32),
            nn.ReLU(True),
            nn.ConvTranspose2d(32, channels, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, z, labels):
        z = torch.cat([z, self.label_emb(labels)], dim=1)
        x = self.fc(z).view(-1, 128, 4, 4)
        return self.net(x)


class Discriminator(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.label_map = nn.Embedding(n_classes, image_size * image_size)
        self.features = nn.Sequential(
            nn.Conv2d(channels + 1, 32, 4, 2, 1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(32, 64, 4, 2, 1),
            nn.BatchNorm2d(64),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(64, 128, 4, 2, 1),
            nn.BatchNorm2d(128),
            nn.LeakyReLU(0.2, inplace=True),
        )
        self.classifier = nn.Linear(128 * (image_size // 8) ** 2, 1)

    def forward(self, x, labels):
        label_map = self.label_map(labels).view(-1, 1, image_size, image_size)
        feats = self.features(torch.cat([x, label_map], dim=1))
        return self.classifier(feats.flatten(1)).squeeze(1), feats


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def forward(self, x, labels):
        mu, logvar = self.encoder(x)
        std = torch.exp(0.5 * logvar)
        z = mu + std * torch.randn_like(std)
        return self.decoder(z, labels), mu, logvar


def gradient_penalty(disc, real, fake, labels):
    alpha = torch.rand(real.size(0), 1, 1, 1)
    mixed = (alpha * real + (1 - alpha) * fake.detach()).requires_grad_(True)
    score, _ = disc(mixed, labels)
    grad = torch.autograd.grad(score.sum(), mixed, create_graph=True)[0]
    return ((grad.flatten(1).norm(dim=1) - 1) ** 2).mean()


torch.manual_seed(0)
images = torch.rand(16, channels, image_size, image_size) * 2 - 1
labels = torch.arange(16) % 10
loader = DataLoader(TensorDataset(images, labels), batch_size=8)

vae = VAE()
disc = Discriminator()
opt_g = torch.optim.Adam(vae.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(disc.parameters(), lr=2e-4, betas=(0.5, 0.999))
fixed_z = torch.randn(10, latent_dim)

for real, y in loader:
    recon, mu, logvar = vae(real, y)
    real_score, real_feats = disc(real, y)
    fake_score, _ = disc(recon.detach(), y)
    loss_d = F.softplus(-real_score).mean() + F.softplus(fake_score).mean()
    loss_d = loss_d + 10 * gradient_penalty(disc, real, recon, y)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    score, feats = disc(recon, y)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
    adv = F.binary_cross_entropy_with_logits(score, torch.ones(real.size(0)))
    loss_g = F.mse_loss(recon, real) + 0.01 * kl + 0.1 * adv + F.mse_loss(feats, real_feats.detach())
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()

vae.eval()
with torch.no_grad():
    samples = vae.decoder(fixed_z, torch.arange(10))
    grid = samples.view(2, 5, channels, image_size, image_size).permute(2, 0, 3, 1, 4)
    grid = grid.reshape(channels, 2 * image_size, 5 * image_size)
print(grid.shape)
