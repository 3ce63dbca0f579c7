import torch
import torch.nn as nn


def attend(q, k, v, softmax):
    logits = torch.bmm(q, k.permute(0, 2, 1))
    logits = logits / (q.shape[-1] ** 0.5)
    return torch.bmm(softmax(logits), v)


class PatchClips(nn.Module):
    def __init__(self, in_ch, dim, patch=(2, 4, 4)):
        super().__init__()
        self.proj = nn.Conv3d(in_ch, dim, kernel_size=patch, stride=patch)

    def forward(self, clip):
        return self.proj(clip).flatten(2).transpose(1, 2)


class LatentReader(nn.Module):
    """Latents read from the video tokens."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=-1)

    def _fold(self, x):
        b, n, d = x.shape
        x = x.reshape(b, n, self.heads, d // self.heads)
        return x.permute(0, 2, 1, 3).reshape(b * self.heads, n, d // self.heads)

    def _unfold(self, x):
        bh, n, d = x.shape
        x = x.reshape(bh // self.heads, self.heads, n, d)
        return x.permute(0, 2, 1, 3).reshape(bh // self.heads, n, d * self.heads)

    def forward(self, latents, tokens):
        k, v = self.to_kv(tokens).chunk(2, dim=-1)
        q = self._fold(self.to_q(latents))
        out = attend(q, self._fold(k), self._fold(v), self.softmax)
        return self.to_out(self._unfold(out))


class PerceiverVideo(nn.Module):
    def __init__(self, in_ch=3, dim=32, heads=4, n_latents=5, n_classes=8, depth=2):
        super().__init__()
        self.patches = PatchClips(in_ch, dim)
        self.latents = nn.Parameter(torch.randn(n_latents, dim) * 0.02)
        self.readers = nn.ModuleList([LatentReader(dim, heads) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, n_classes)

    def forward(self, clip):
        tokens = self.patches(clip)
        z = self.latents.expand(clip.shape[0], -1, -1)
        for reader, norm in zip(self.readers, self.norms):
            z = z + reader(norm(z), tokens)
        return self.head(z.mean(dim=1))


PerceiverVideo()(torch.randn(2, 3, 4, 8, 8))
