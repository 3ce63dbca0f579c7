# Conditional WGAN-GP on small grey pictures, after a notebook.
import torch
import torch.nn as nn
import torch.nn.functional as F

LATENT = 64
CLASSES = 10
SIZE = 28
BATCH = 8


class Generator(nn.Module):
    def __init__(self, latent, classes, width=32):
        super().__init__()
        self.label_emb = nn.Embedding(classes, classes)
        self.project = nn.Linear(latent + classes, width * 4 * 7 * 7)
        self.width = width
        self.net = nn.Sequential(
            nn.BatchNorm2d(width * 4),
            nn.ReLU(),
            nn.ConvTranspose2d(width * 4, width * 2, 4, 2, 1),
            nn.BatchNorm2d(width * 2),
            nn.ReLU(),
            nn.ConvTranspose2d(width * 2, width, 4, 2, 1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, 1, 3, 1, 1),
            nn.Tanh(),
        )

    def forward(self, z, labels):
        x = torch.cat([z, self.label_emb(labels)], dim=1)
        x = self.project(x).view(-1, self.width * 4, 7, 7)
        return self.net(x)


class Critic(nn.Module):
    def __init__(self, classes, width=32):
        super().__init__()
        self.label_map = nn.Embedding(classes, SIZE * SIZE)
        self.conv1 = nn.Conv2d(2, width, 4, 2, 1)
        self.conv2 = nn.Conv2d(width, width * 2, 4, 2, 1)
        self.norm2 = nn.LayerNorm([width * 2, 7, 7])
        self.conv3 = nn.Conv2d(width * 2, width * 4, 3, 2, 1)
        self.norm3 = nn.LayerNorm([width * 4, 4, 4])
        self.out = nn.Linear(width * 4 * 4 * 4, 1)

    def forward(self, img, labels):
        label_plane = self.label_map(labels).view(img.size(0), 1, SIZE, SIZE)
        x = torch.cat([img, label_plane], dim=1)
        x = F.leaky_relu(self.conv1(x), 0.2)
        x = F.leaky_relu(self.norm2(self.conv2(x)), 0.2)
        x = F.leaky_relu(self.norm3(self.conv3(x)), 0.2)
        x = torch.flatten(x, 1)
        return self.out(x).squeeze(1)


def gradient_penalty(critic, real, fake, labels):
    alpha = torch.rand(real.size(0), 1, 1, 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed, labels)
    grads = torch.autograd.grad(score, mixed, grad_outputs=torch.ones_like(score), create_graph=True)[0]
    norm = grads.view(grads.size(0), -1).norm(2, dim=1)
    return ((norm - 1) ** 2).mean()


netG = Generator(LATENT, CLASSES)
netD = Critic(CLASSES)
optG = torch.optim.Adam(netG.parameters(), lr=1e-4, betas=(0.0, 0.9))
optD = torch.optim.Adam(netD.parameters(), lr=1e-4, betas=(0.0, 0.9))

for step in range(2):
    real = torch.rand(BATCH, 1, SIZE, SIZE) * 2 - 1
    labels = torch.randint(0, CLASSES, (BATCH,))

    for _ in range(2):
        noise = torch.randn(BATCH, LATENT)
        fake = netG(noise, labels).detach()
        gp = gradient_penalty(netD, real, fake, labels)
        lossD = netD(fake, labels).mean() - netD(real, labels).mean() + 10 * gp
        optD.zero_grad()
        lossD.backward()
        optD.step()

    noise = torch.randn(BATCH, LATENT)
    lossG = -netD(netG(noise, labels), labels).mean()
    optG.zero_grad()
    lossG.backward()
    optG.step()
    print(step, lossD.item(), lossG.item())
