"""DCGAN with classes: noise and a label in, a picture out; a critic that projects the label."""

import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, nz=100, ngf=16, nc=3, n_classes=7, emb=28):
        super(Generator, self).__init__()
        self.label_emb = nn.Embedding(n_classes, emb)
        self.main = nn.Sequential(
            # input is Z, going into a convolution
            nn.ConvTranspose2d(nz + emb, ngf * 8, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 8),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 8, ngf * 4, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf * 4),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, noise, labels):
        cond = torch.cat((noise, self.label_emb(labels)), -1)
        return self.main(cond[:, :, None, None])


class Critic(nn.Module):
    def __init__(self, ndf=16, nc=3, n_classes=7):
        super(Critic, self).__init__()
        widths = [nc, ndf, ndf * 2, ndf * 4, ndf * 8]
        self.blocks = nn.ModuleList()
        for i in range(4):
            self.blocks.append(nn.Conv2d(widths[i], widths[i + 1], 4, 2, 1))
        self.act = nn.LeakyReLU(0.2)
        self.project = nn.Embedding(n_classes, ndf * 8)
        self.score = nn.Linear(ndf * 8, 1)

    def forward(self, x, labels):
        for block in self.blocks:
            x = self.act(block(x))
        x = x.sum(dim=(2, 3))
        aligned = (x * self.project(labels)).sum(1, keepdim=True)
        return self.score(x) + aligned


class GANStep(nn.Module):
    def __init__(self, nz=100):
        super().__init__()
        self.nz = nz
        self.generator = Generator(nz)
        self.critic = Critic()

    def forward(self, real, labels):
        noise = torch.randn(real.size(0), self.nz, device=real.device)
        fake = self.generator(noise, labels)
        alpha = torch.rand(real.size(0), 1, 1, 1)
        mixed = alpha * real + (1 - alpha) * fake
        d_real, d_fake = self.critic(real, labels), self.critic(fake, labels)
        g_loss = nn.functional.binary_cross_entropy_with_logits(d_fake, torch.ones_like(d_fake))
        return d_fake.mean() - d_real.mean() + mixed.mean(), g_loss


if __name__ == "__main__":
    step = GANStep()
    step(torch.randn(4, 3, 64, 64), torch.randint(0, 7, (4,)))
