"""Beta-VAE on small faces, written as people write LightningModules."""

import torch
from torch import nn
from torch.nn import functional as F


class Encoder(nn.Module):
    def __init__(self, latent=20, hidden=(16, 32, 64)):
        super().__init__()
        layers, cin = [], 3
        for h in hidden:
            layers += [nn.Conv2d(cin, h, 3, stride=2, padding=1), nn.BatchNorm2d(h), nn.LeakyReLU()]
            cin = h
        self.net = nn.Sequential(*layers)
        self.fc_mu = nn.Linear(hidden[-1] * 16, latent)
        self.fc_var = nn.Linear(hidden[-1] * 16, latent)

    def forward(self, x):
        h = torch.flatten(self.net(x), start_dim=1)
        return self.fc_mu(h), self.fc_var(h)


class Decoder(nn.Module):
    def __init__(self, latent=20):
        super().__init__()
        self.fc = nn.Linear(latent, 64 * 16)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 4, 2, 1),
            nn.ReLU(),
        )
        self.out = nn.ConvTranspose2d(16, 3, 4, 2, 1)

    def forward(self, z):
        h = self.fc(z)
        h = h.view(-1, 64, 4, 4)
        return self.out(self.up(h))


class BetaVAE(nn.Module):
    def __init__(self, latent=20, beta=4.0):
        super().__init__()
        self.encoder, self.decoder = Encoder(latent), Decoder(latent)
        self.beta = beta
        self.attr_head = nn.Linear(latent, 5)
        self.quality = nn.Linear(latent, 1)

    def reparameterize(self, mu, log_var):
        std = torch.exp(0.5 * log_var)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x):
        mu, log_var = self.encoder(x)
        z = self.reparameterize(mu, log_var)
        return self.decoder(z), mu, log_var, self.attr_head(mu), self.quality(mu).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, attrs, quality = batch
        recon, mu, log_var, attr_logits, score = self(x)
        recon_loss = F.mse_loss(torch.sigmoid(recon), x)
        kld = -0.5 * torch.sum(1 + log_var - mu.pow(2) - log_var.exp(), dim=1).mean()
        attr_loss = F.binary_cross_entropy_with_logits(attr_logits, attrs)
        quality_loss = F.l1_loss(score, quality)
        return recon_loss + self.beta * kld + attr_loss + quality_loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def fit(model, loader, epochs=1):
    opt = model.configure_optimizers()
    for _ in range(epochs):
        for i, batch in enumerate(loader):
            loss = model.training_step(batch, i)
            opt.zero_grad()
            loss.backward()
            opt.step()


if __name__ == "__main__":
    model = BetaVAE()
    faces = torch.rand(6, 3, 32, 32)
    attrs = torch.randint(0, 2, (6, 5)).float()
    quality = torch.rand(6)
    recon, mu, *_ = model(faces)
    print(recon.shape, mu.shape)
    fit(model, [(faces, attrs, quality)])
