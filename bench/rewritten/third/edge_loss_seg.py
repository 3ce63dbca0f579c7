import torch
from torch import nn
import torch.nn.functional as F


class EdgeMap(nn.Module):
    def __init__(self):
        super().__init__()
        kx = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
        self.kernel = torch.stack([kx, kx.t()]).unsqueeze(1)

    def forward(self, img):
        g = F.conv2d(img, self.kernel, padding=1)
        return g.pow(2).sum(dim=1, keepdim=True).add(1e-8).sqrt()


class EncoderBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.norm = nn.GroupNorm(4, c_out)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class OrganSegmenter(nn.Module):
    """CT slices to organ logits, with the gradient magnitude as a second channel."""

    def __init__(self, n_organs=4, base=8):
        super().__init__()
        self.edges = EdgeMap()
        self.enc1 = EncoderBlock(2, base)
        self.enc2 = EncoderBlock(base, 2 * base)
        self.dec = EncoderBlock(3 * base, base)
        self.head = nn.Conv2d(base, n_organs, 1)
        self.reset_head()

    def reset_head(self):
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, ct):
        x = torch.cat([ct, self.edges(ct)], dim=1)
        s1 = self.enc1(x)
        s2 = self.enc2(F.max_pool2d(s1, 2))
        up = F.interpolate(s2, scale_factor=2, mode="nearest")
        return self.head(self.dec(torch.cat([s1, up], dim=1)))


OrganSegmenter()(torch.randn(2, 1, 12, 12))
