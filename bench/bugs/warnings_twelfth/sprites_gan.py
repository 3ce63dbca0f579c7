"""A conditional DCGAN for sprites, with an auxiliary classifier; trained by turns."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import spectral_norm

nz, nc, ndf, n_kinds = 32, 3, 16, 7


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Embedding(n_kinds, nz)
        self.project = nn.Linear(2 * nz, 4 * 4 * 64)
        self.main = nn.Sequential(
            nn.BatchNorm2d(64),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(64, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(True),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(32, nc, 3, padding=1),
            nn.Tanh(),
        )

    def forward(self, z, kind):
        h = torch.cat((z, self.kind(kind)), 1)
        h = self.project(h).view(z.size(0), 64, 4, 4)
        return self.main(h)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = spectral_norm(nn.Conv2d(nc, ndf, 4, 2, 1))
        self.conv2 = spectral_norm(nn.Conv2d(ndf, ndf * 2, 4, 2, 1))
        self.conv3 = spectral_norm(nn.Conv2d(ndf * 2 + 1, ndf * 4, 3, 1, 1))
        self.adv = nn.Linear(ndf * 4, 1)
        self.aux = nn.Linear(ndf * 4, n_kinds)

    def minibatch_std(self, x):
        std = x.std(dim=0).mean()
        return torch.cat([x, std.expand(x.size(0), 1, *x.shape[2:])], dim=1)

    def forward(self, img):
        x = F.leaky_relu(self.conv1(img), 0.2)
        x = F.leaky_relu(self.conv2(x), 0.2)
        x = self.minibatch_std(x)
        x = F.leaky_relu(self.conv3(x), 0.2)
        x = x.mean(dim=(2, 3))
        return self.adv(x), self.aux(x)


adversarial_loss = nn.BCEWithLogitsLoss()
auxiliary_loss = nn.CrossEntropyLoss()


class GAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.G, self.D = Generator(), Discriminator()

    def d_loss(self, real, kinds):
        z = torch.randn(real.size(0), nz, device=real.device)
        fake = self.G(z, kinds).detach()
        real_score, real_aux = self.D(real)
        fake_score, _ = self.D(fake)
        valid = torch.full_like(real_score, 0.9)
        loss = adversarial_loss(real_score, valid) + adversarial_loss(fake_score, torch.zeros_like(fake_score))
        return loss / 2 + auxiliary_loss(real_aux, kinds)

    def g_loss(self, real, kinds):
        z = torch.randn(real.size(0), nz, device=real.device)
        fake = self.G(z, kinds)
        score, aux = self.D(fake)
        return adversarial_loss(score, torch.ones_like(score)) + auxiliary_loss(aux, kinds)

    def forward(self, real, kinds):
        return self.d_loss(real, kinds), self.g_loss(real, kinds)


def train(gan, batches):
    opt_g = torch.optim.Adam(gan.G.parameters(), 2e-4, (0.5, 0.999))
    opt_d = torch.optim.Adam(gan.D.parameters(), 2e-4, (0.5, 0.999))
    for real, kinds in batches:
        opt_d.zero_grad()
        gan.d_loss(real, kinds).backward()
        opt_d.step()
        opt_g.zero_grad()
        gan.g_loss(real, kinds).backward()
        opt_g.step()


if __name__ == "__main__":
    gan = GAN()
    print(gan(torch.randn(8, nc, 16, 16), torch.randint(0, n_kinds, (8,))))
    train(gan, [(torch.randn(8, nc, 16, 16), torch.randint(0, n_kinds, (8,)))])
