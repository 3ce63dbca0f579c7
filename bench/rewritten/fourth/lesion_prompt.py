import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(t, heads):
    b, n, c = t.shape
    return t.reshape(b, n, heads, c // heads).permute(0, 2, 1, 3)


def attend(q, k, v, bias=None):
    d = q.shape[-1]
    logits = torch.einsum("bhqd,bhkd->bhqk", q, k) / d ** 0.5
    if bias is not None:
        logits = logits + bias
    probs = logits.softmax(dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", probs, v)


class PatchEmbed(nn.Module):
    """Grey-scale scan -> sequence of patch features."""

    def __init__(self, patch, dim):
        super().__init__()
        self.conv = nn.Conv2d(1, dim, kernel_size=patch, stride=patch)

    def forward(self, img):
        return self.conv(img).flatten(2).transpose(1, 2)


class PromptCrossAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim)
        self.to_kv = nn.Linear(dim, dim * 2)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, prompts, patches, bias):
        q = split_heads(self.to_q(prompts), self.heads)
        k, v = self.to_kv(patches).chunk(2, dim=-1)
        out = attend(q, split_heads(k, self.heads), split_heads(v, self.heads), bias)
        return self.to_out(out.transpose(1, 2).flatten(2))


class LesionDetector(nn.Module):
    def __init__(self, dim=24, heads=3, prompts=4, side=4):
        super().__init__()
        self.embed = PatchEmbed(patch=4, dim=dim)
        self.prompts = nn.Parameter(torch.randn(1, prompts, dim) * 0.02)
        self.prior = nn.Parameter(torch.zeros(1, heads, prompts, side * side))
        self.cross = PromptCrossAttention(dim, heads)
        self.norm = nn.LayerNorm(dim)
        self.box = nn.Linear(dim, 5)

    def forward(self, scan):
        patches = self.embed(scan)
        p = self.prompts.expand(scan.shape[0], -1, -1)
        p = self.norm(p + self.cross(p, patches, self.prior))
        return self.box(F.gelu(p))


LesionDetector()(torch.randn(2, 1, 16, 16))
