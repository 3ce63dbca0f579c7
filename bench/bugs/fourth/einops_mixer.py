"""Pictures as patches, written with einops: a mixer, and a small ViT with axial attention on top."""

import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange
from torch import einsum, nn


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class Attention(nn.Module):
    def __init__(self, dim, heads=3, dim_head=14):
        super().__init__()
        inner_dim = heads * dim_head
        self.heads = heads
        self.scale = dim_head**-0.5
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias=False)
        self.to_out = nn.Linear(inner_dim, dim)

    def forward(self, x):
        h = self.heads
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=h) for t in (q, k, v))
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        out = einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


class MixerBlock(nn.Module):
    def __init__(self, num_patches, dim, expansion=2):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tokens = nn.Sequential(
            nn.Conv1d(num_patches, num_patches * expansion, 1),
            nn.GELU(),
            nn.Conv1d(num_patches * expansion, num_patches, 1),
        )
        self.channels = nn.Sequential(nn.Linear(dim, dim * expansion), nn.GELU(), nn.Linear(dim * expansion, dim))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x))
        return x + self.channels(self.norm2(x))


class AxialBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.rows = PreNorm(dim, Attention(dim))
        self.cols = PreNorm(dim, Attention(dim))

    def forward(self, x, height):
        x = rearrange(x, "b (h w) d -> b h w d", h=height)
        b = x.shape[0]
        rows = self.rows(rearrange(x, "b h w d -> (b h) w d"))
        x = x + rearrange(rows, "(b h) w d -> b h w d", b=b)
        cols = self.cols(rearrange(x, "b h w d -> (b w) h d"))
        x = x + rearrange(cols, "(b w) h d -> b h w d", b=b)
        return rearrange(x, "b h w d -> b (h w) d")


class PatchNet(nn.Module):
    def __init__(self, image_size=(32, 48), patch_size=8, channels=3, dim=50, num_classes=11, registers=2):
        super().__init__()
        height, width = image_size
        self.height = height // patch_size
        num_patches = (height // patch_size) * (width // patch_size)
        patch_dim = channels * patch_size**2
        self.to_patches = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch_size, p2=patch_size),
            nn.Linear(patch_dim, dim),
        )
        self.pos = nn.Parameter(torch.randn(num_patches, dim))
        self.mixer = MixerBlock(num_patches, dim)
        self.axial = AxialBlock(dim)
        self.registers = nn.Parameter(torch.randn(registers, dim))
        self.final = PreNorm(dim, Attention(dim))
        self.head = nn.Linear(dim * 2, num_classes)

    def forward(self, img):
        x = self.to_patches(img)
        x = x + self.pos
        x = self.axial(self.mixer(x), self.height)
        r = repeat(self.registers, "r d -> b r d", b=x.shape[0])
        x = torch.cat((r, x), dim=1)
        x = self.final(x) + x
        pooled = reduce(x[:, self.registers.shape[0] :], "b n d -> b d", "mean")
        return self.head(torch.cat((pooled, x[:, 0]), dim=-1))


PatchNet()(torch.randn(2, 3, 32, 48))
