"""Depth from a single image, a very small U."""
import torch
from torch import nn


class Swishy(nn.Module):
    """Convolution, normalisation, self-gating."""

    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.norm = nn.GroupNorm(4, cout)

    def forward(self, x):
        h = self.norm(self.conv(x))
        gate = torch.sigmoid(h)
        h = gate * h
        return h


class DepthUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.enter = Swishy(3, w)
        self.down = nn.MaxPool2d(2)
        self.inner = Swishy(w, 2 * w)
        self.up = nn.ConvTranspose2d(2 * w, w, 2, stride=2)
        self.leave = Swishy(2 * w, w)
        self.depth = nn.Conv2d(w, 1, 1)

    def forward(self, image):
        fine = self.enter(image)
        coarse = self.inner(self.down(fine))
        both = torch.cat([fine, self.up(coarse)], dim=1)
        return self.depth(self.leave(both))


if __name__ == "__main__":
    torch.manual_seed(28)
    net = DepthUNet()
    depth = net(torch.rand(2, 3, 20, 28))
    depth.mean().backward()
    print(depth.shape, depth.mean())
