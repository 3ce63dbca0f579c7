import torch
from torch import nn

nz, ngf, ndf, nc, n_attr = 100, 32, 32, 3, 10


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.attr = nn.Embedding(n_attr, nz)
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz * 2, ngf * 8, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 8),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 8, ngf * 4, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf * 4),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z, labels):
        code = torch.cat((z, self.attr(labels)), 1)
        return self.main(code[:, :, None, None])


class Discriminator(nn.Module):
    def __init__(self, size=32):
        super(Discriminator, self).__init__()
        self.size = size
        self.attr = nn.Embedding(n_attr, size * size)
        self.conv1 = nn.Conv2d(nc + 1, ndf, 4, 2, 1)
        self.conv2 = nn.Conv2d(ndf, ndf * 2, 4, 2, 1)
        self.conv3 = nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1)
        self.act = nn.LeakyReLU(0.2)
        self.adv = nn.Linear(ndf * 4 * 4 * 4, 1)

    def forward(self, img, labels):
        m = self.attr(labels).view(-1, 1, self.size, self.size)
        x = torch.cat((img, m), 1)
        x = self.act(self.conv1(x))
        x = self.act(self.conv2(x))
        x = self.act(self.conv3(x))
        return self.adv(x.flatten(1))


netG, netD = Generator(), Discriminator()
optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()


def step(real, labels):
    n = real.size(0)
    ones, zeros = torch.ones(n, 1), torch.zeros(n, 1)
    fake = netG(torch.randn(n, nz), labels)
    lossD = bce(netD(real, labels), ones) + bce(netD(fake.detach(), labels), zeros)
    optD.zero_grad()
    lossD.backward()
    optD.step()
    lossG = bce(netD(fake, labels), ones)
    optG.zero_grad()
    lossG.backward()
    optG.step()
    return lossD.item(), lossG.item()


if __name__ == "__main__":
    for _ in range(2):
        print(step(torch.rand(6, 3, 32, 32) * 2 - 1, torch.randint(0, n_attr, (6,))))
