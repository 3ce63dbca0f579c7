import torch
import torch.nn as nn
import torch.nn.functional as F


def to_windows(x, w):
    """(B, T, C) -> (B * T / w, w, C)"""
    b, t, c = x.shape
    return x.reshape(b * (t // w), w, c)


class WindowAttention(nn.Module):
    def __init__(self, dim, window, num_heads, attn_drop=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.window = window
        self.scale = (dim // num_heads) ** -0.5
        self.attn_drop = attn_drop
        self.bias_table = nn.Parameter(torch.randn(2 * window - 1, num_heads) * 0.02)
        pos = torch.arange(window)
        self.register_buffer("rel_index", pos[:, None] - pos[None, :] + window - 1)
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def relative_bias(self):
        return self.bias_table[self.rel_index].permute(2, 0, 1).unsqueeze(0)

    def forward(self, x):
        nw, n, c = x.shape
        qkv = self.qkv(x).reshape(nw, n, 3, self.num_heads, c // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)

        attn = self.scale * q @ k.transpose(-1, -2) + self.relative_bias()
        attn = F.dropout(F.softmax(attn, -1), self.attn_drop, self.training)
        out = (attn @ v).transpose(1, 2).reshape(nw, n, c)
        return self.proj(out)


class VideoBlock(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.window = window
        self.norm = nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, window, heads, attn_drop=0.1)

    def forward(self, x):
        h = to_windows(self.norm(x), self.window)
        return x + self.attn(h).reshape(x.shape)


class ClipClassifier(nn.Module):
    def __init__(self, frame_dim=30, dim=24, window=4, heads=3, classes=6):
        super().__init__()
        self.frame = nn.Linear(frame_dim, dim)
        self.blocks = nn.ModuleList([VideoBlock(dim, window, heads), VideoBlock(dim, window, heads)])
        self.head = nn.Linear(dim, classes)

    def forward(self, clip):
        x = self.frame(clip)
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1))


ClipClassifier()(torch.randn(2, 8, 30))
