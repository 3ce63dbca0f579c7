"""A discriminator that also names the class; only the critic's side is Lipschitz."""
import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class Discriminator(nn.Module):
    def __init__(self, features, classes, width=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, width), nn.LeakyReLU(0.2))
        self.critic = spectral_norm(nn.Linear(width, 1))
        self.label = nn.Linear(width, classes)

    def forward(self, x):
        h = self.trunk(x)
        real = self.critic(h)
        name = self.label(h)
        return real.squeeze(-1), name


def hinge(real, fake):
    return (1 - real).clamp(min=0).mean() + (1 + fake).clamp(min=0).mean()


def main():
    torch.manual_seed(0)
    disc = Discriminator(10, 4)
    opt = torch.optim.Adam(disc.parameters(), lr=1e-3, betas=(0.0, 0.9))
    for step in range(5):
        x, y = torch.randn(16, 10) + 1, torch.randint(0, 4, (16,))
        real, name = disc(x)
        fake, _ = disc(torch.randn(16, 10))
        loss = hinge(real, fake) + nn.functional.cross_entropy(name, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, float(loss.detach()))


if __name__ == "__main__":
    main()
