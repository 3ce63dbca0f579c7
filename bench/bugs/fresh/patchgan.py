"""Image to image (pix2pix): a small generator with residual blocks, and a discriminator of patches."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualBlock(nn.Module):
    def __init__(self, dim, style):
        super().__init__()
        self.conv1 = nn.Conv2d(dim, dim, 3)
        self.conv2 = nn.Conv2d(dim, dim, 3)
        self.norm = nn.InstanceNorm2d(dim)
        self.to_scale = nn.Linear(style, dim * 2)

    def forward(self, x, style):
        y = F.pad(x, (1, 1, 1, 1), mode="reflect")
        y = self.norm(self.conv1(y))
        gamma, beta = self.to_scale(style).chunk(2, dim=1)
        y = F.relu(y * (1 + gamma[:, :, None, None]) + beta[:, :, None, None])
        y = self.conv2(F.pad(y, (1, 1, 1, 1), mode="reflect"))
        return x + y


class Generator(nn.Module):
    def __init__(self, in_ch=3, out_ch=3, ngf=16, styles=8, blocks=2):
        super().__init__()
        self.style = nn.Embedding(10, styles)
        self.encoder = nn.Sequential(
            nn.Conv2d(in_ch, ngf, 7, padding=3),
            nn.InstanceNorm2d(ngf),
            nn.ReLU(True),
            nn.Conv2d(ngf, ngf * 2, 3, stride=2, padding=1),
            nn.InstanceNorm2d(ngf * 2),
            nn.ReLU(True),
        )
        self.blocks = nn.ModuleList(ResidualBlock(ngf * 2, styles) for _ in range(blocks))
        self.decoder = nn.Sequential(
            nn.Upsample(scale_factor=2),
            nn.Conv2d(ngf * 2, ngf, 3, padding=1),
            nn.ReLU(True),
            nn.Conv2d(ngf, out_ch, 7, padding=3),
            nn.Tanh(),
        )

    def forward(self, image, style):
        code = self.style(style)
        h = self.encoder(image)
        for block in self.blocks:
            h = block(h, code)
        return self.decoder(h)


class PatchDiscriminator(nn.Module):
    def __init__(self, in_ch=6, ndf=16, depth=3):
        super().__init__()
        layers = [nn.Conv2d(in_ch, ndf, 4, stride=2, padding=1), nn.LeakyReLU(0.2)]
        width = ndf
        for _ in range(1, depth):
            layers += [
                nn.Conv2d(width, width * 2, 4, stride=2, padding=1),
                nn.BatchNorm2d(width * 2),
                nn.LeakyReLU(0.2),
            ]
            width *= 2
        layers.append(nn.Conv2d(width, 1, 4, padding=1))
        self.model = nn.Sequential(*layers)

    def forward(self, source, image):
        return self.model(torch.cat((source, image), 1))


class Pix2PixLoss(nn.Module):
    def __init__(self, generator, discriminator, weight=100.0):
        super().__init__()
        self.generator, self.discriminator, self.weight = generator, discriminator, weight

    def forward(self, source, target, style):
        fake = self.generator(source, style)
        judged = self.discriminator(source, fake)
        adversarial = F.binary_cross_entropy_with_logits(judged, torch.ones_like(judged))
        return adversarial + self.weight * F.l1_loss(fake, target)


if __name__ == "__main__":
    source, target = torch.randn(2, 3, 64, 64), torch.randn(2, 3, 64, 64)
    style = torch.randint(0, 10, (2,))
    print(Pix2PixLoss(Generator(), PatchDiscriminator())(source, target, style).item())
