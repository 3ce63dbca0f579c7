"""A small hourglass network with keypoint tokens on top of it."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_block(c_in, c_out, stride=1, groups=8):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False),
        nn.GroupNorm(groups, c_out),
        nn.SiLU(inplace=True),
    )


class Stem(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.unshuffle = nn.PixelUnshuffle(2)
        self.first = conv_block(3 * 4, width // 2)
        self.second = conv_block(width // 2, width, stride=2)

    def forward(self, images):
        return self.second(self.first(self.unshuffle(images)))


class Hourglass(nn.Module):
    """Goes down `depth` times and comes up again, joining what it left behind."""

    def __init__(self, width, depth):
        super().__init__()
        self.down = nn.ModuleList(conv_block(width, width, stride=2) for _ in range(depth))
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(width, width, kernel_size=4, stride=2, padding=1)
            for _ in range(depth))
        self.merge = nn.ModuleList(conv_block(2 * width, width) for _ in range(depth))

    def forward(self, x):
        skips = []
        for down in self.down:
            skips.append(x)
            x = down(x)
        for up, merge, skip in zip(self.up, self.merge, reversed(skips)):
            x = up(x)
            x = merge(torch.cat([x, skip], dim=1))
        return x


def soft_argmax(logits):
    """[B, K, H, W] -> expected (x, y) in -1..1, [B, K, 2]."""
    b, k, h, w = logits.shape
    prob = logits.flatten(2).softmax(dim=-1).view(b, k, h, w)
    xs = torch.linspace(-1, 1, w, device=logits.device)
    ys = torch.linspace(-1, 1, h, device=logits.device)
    x = torch.einsum("bkhw,w->bk", prob, xs)
    y = torch.einsum("bkhw,h->bk", prob, ys)
    return torch.stack([x, y], dim=-1)


class KeypointRefiner(nn.Module):
    def __init__(self, width, num_keypoints, heads):
        super().__init__()
        self.identity = nn.Parameter(torch.randn(num_keypoints, width) * 0.02)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.delta = nn.Linear(width + 2, 2)

    def forward(self, features, points):
        grid = points.unsqueeze(2)
        tokens = F.grid_sample(features, grid, align_corners=True)
        tokens = tokens.squeeze(-1).transpose(1, 2)
        tokens = tokens + self.identity
        mixed, _ = self.attn(tokens, tokens, tokens)
        tokens = self.norm(tokens + mixed)
        return points + 0.1 * torch.tanh(self.delta(torch.cat([tokens, points], dim=-1)))


class PoseNet(nn.Module):
    def __init__(self, num_keypoints, width=32, depth=2, heads=4):
        super().__init__()
        self.stem = Stem(width)
        self.hourglass = Hourglass(width, depth)
        self.heatmap = nn.Conv2d(width, num_keypoints, kernel_size=1)
        self.refine = KeypointRefiner(width, num_keypoints, heads)

    def forward(self, images):
        features = self.hourglass(self.stem(images))
        logits = self.heatmap(features)
        coarse = soft_argmax(logits)
        fine = self.refine(features, coarse)
        return logits, coarse, fine
