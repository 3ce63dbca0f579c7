"""Digits by capsules with dynamic routing, and a decoder that draws them again."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def squash(s, dim=-1, eps=1e-8):
    norm2 = (s**2).sum(dim=dim, keepdim=True)
    return norm2 / (1 + norm2) * s / (norm2 + eps).sqrt()


class PrimaryCaps(nn.Module):
    def __init__(self, in_channels, caps_channels, caps_dim, kernel_size=9, stride=2):
        super().__init__()
        self.caps_dim = caps_dim
        self.conv = nn.Conv2d(in_channels, caps_channels * caps_dim, kernel_size, stride=stride)

    def forward(self, x):
        u = self.conv(x)
        b, c, h, w = u.shape
        u = u.view(b, c // self.caps_dim, self.caps_dim, h, w)
        u = u.permute(0, 1, 3, 4, 2).reshape(b, -1, self.caps_dim)
        return squash(u)


class DigitCaps(nn.Module):
    def __init__(self, in_caps, in_dim, out_caps, out_dim, iterations=3):
        super().__init__()
        self.iterations = iterations
        self.W = nn.Parameter(0.01 * torch.randn(in_caps, out_caps, out_dim, in_dim))

    def forward(self, u):
        u_hat = torch.einsum("ijdk,bik->bijd", self.W, u)
        logits = torch.zeros(u_hat.shape[:3])
        for r in range(self.iterations):
            c = logits.softmax(dim=2)
            s = (c.unsqueeze(-1) * u_hat).sum(dim=1)
            v = squash(s)
            if r < self.iterations - 1:
                logits = logits + (u_hat * v.unsqueeze(1)).sum(dim=-1)
        return v


class Decoder(nn.Module):
    def __init__(self, classes, dim, size=28):
        super().__init__()
        self.size = size
        self.fc = nn.Sequential(
            nn.Linear(classes * dim, 256),
            nn.ReLU(),
            nn.Linear(256, 512),
            nn.ReLU(),
            nn.Linear(512, size * size),
            nn.Sigmoid(),
        )

    def forward(self, v, labels):
        mask = F.one_hot(labels, v.size(1)).to(v.dtype)
        v = v * mask[:, :, None]
        return self.fc(v.flatten(1)).view(-1, 1, self.size, self.size)


class CapsNet(nn.Module):
    def __init__(self, classes=10, caps_channels=8, caps_dim=8, out_dim=16):
        super().__init__()
        self.conv = nn.Conv2d(1, 64, 9)
        self.primary = PrimaryCaps(64, caps_channels, caps_dim)
        self.digits = DigitCaps(caps_channels * 6 * 6, caps_dim, classes, out_dim)
        self.decoder = Decoder(classes, out_dim)

    def forward(self, images, labels=None):
        v = self.digits(self.primary(F.relu(self.conv(images))))
        lengths = v.norm(dim=-1)
        if labels is None:
            labels = lengths.argmax(dim=1)
        return lengths, self.decoder(v, labels)


class MarginLoss(nn.Module):
    def __init__(self, m_pos=0.9, m_neg=0.1, lam=0.5):
        super().__init__()
        self.m_pos, self.m_neg, self.lam = m_pos, m_neg, lam

    def forward(self, lengths, labels):
        target = torch.zeros_like(lengths).scatter_(1, labels.unsqueeze(1), 1.0)
        pos = F.relu(self.m_pos - lengths) ** 2
        neg = F.relu(lengths - self.m_neg) ** 2
        return (target * pos + self.lam * (1 - target) * neg).sum(dim=1).mean()


def train(epochs=1, batch_size=16):
    net = CapsNet()
    criterion, rebuild = MarginLoss(), nn.MSELoss()
    optimizer = torch.optim.Adam(net.parameters())
    for epoch in range(epochs):
        for _ in range(2):
            images, labels = torch.rand(batch_size, 1, 28, 28), torch.randint(0, 10, (batch_size,))
            lengths, drawn = net(images, labels)
            loss = criterion(lengths, labels) + 0.0005 * rebuild(drawn, images)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            lengths, _ = net(torch.rand(batch_size, 1, 28, 28))
            right = (lengths.argmax(dim=1) == labels).float().mean()
            print(f"epoch {epoch}: {right:.2f}")


if __name__ == "__main__":
    train()
