"""A Perceiver over video frames, with Fourier positions."""

from math import pi

import torch
from einops import rearrange, repeat
from torch import einsum, nn


def fourier(grid, bands, top):
    """[..., axes] in -1..1 to [..., axes * (2 * bands + 1)]."""
    grid = grid.unsqueeze(-1)
    scales = torch.linspace(1.0, top / 2, bands, device=grid.device)
    angles = grid * scales * pi
    features = torch.cat([angles.sin(), angles.cos(), grid], dim=-1)
    return rearrange(features, "... axes f -> ... (axes f)")


class GEGLU(nn.Module):
    def forward(self, x):
        x, gate = x.chunk(2, dim=-1)
        return x * nn.functional.gelu(gate)


class Attention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=32):
        super().__init__()
        inner = heads * dim_head
        context_dim = context_dim or query_dim
        self.heads, self.scale = heads, dim_head**-0.5
        self.norm = nn.LayerNorm(query_dim)
        self.norm_context = nn.LayerNorm(context_dim)
        self.to_q = nn.Linear(query_dim, inner, bias=False)
        self.to_kv = nn.Linear(context_dim, 2 * inner, bias=False)
        self.to_out = nn.Linear(inner, query_dim)

    def forward(self, x, context=None):
        x = self.norm(x)
        context = self.norm_context(context) if context is not None else x
        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> (b h) n d", h=self.heads) for t in (q, k, v))
        weights = (einsum("b i d, b j d -> b i j", q, k) * self.scale).softmax(dim=-1)
        out = einsum("b i j, b j d -> b i d", weights, v)
        return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", h=self.heads))


class FeedForward(nn.Sequential):
    def __init__(self, dim, mult=2):
        super().__init__(nn.LayerNorm(dim), nn.Linear(dim, dim * mult * 2), GEGLU(), nn.Linear(dim * mult, dim))


class Layer(nn.Module):
    def __init__(self, latent_dim, data_dim, cross_heads, heads, depth):
        super().__init__()
        self.cross = Attention(latent_dim, data_dim, heads=cross_heads, dim_head=64)
        self.cross_ff = FeedForward(latent_dim)
        self.blocks = nn.ModuleList(
            [nn.ModuleList([Attention(latent_dim, heads=heads), FeedForward(latent_dim)]) for _ in range(depth)]
        )

    def forward(self, latents, data):
        latents = self.cross(latents, data) + latents
        latents = self.cross_ff(latents) + latents
        for attend, ff in self.blocks:
            latents = attend(latents) + latents
            latents = ff(latents) + latents
        return latents


class Perceiver(nn.Module):
    def __init__(
        self, channels=3, axes=3, bands=4, top=10.0, latents=32, latent_dim=128, layers=2, depth=1, num_classes=10
    ):
        super().__init__()
        self.axes, self.bands, self.top = axes, bands, top
        data_dim = channels + axes * (2 * bands + 1)
        self.latents = nn.Parameter(torch.randn(latents, latent_dim) * 0.02)
        self.layers = nn.ModuleList(Layer(latent_dim, data_dim, 1, 8, depth) for _ in range(layers))
        self.head = nn.Sequential(nn.LayerNorm(latent_dim), nn.Linear(latent_dim, num_classes))

    def forward(self, video):
        """[B, T, H, W, C]"""
        b, *sizes, _ = video.shape
        lines = [torch.linspace(-1.0, 1.0, size, device=video.device) for size in sizes]
        grid = torch.stack(torch.meshgrid(*lines, indexing="ij"), dim=-1)
        places = repeat(fourier(grid, self.bands, self.top), "... f -> b ... f", b=b)
        data = rearrange(torch.cat([video, places], dim=-1), "b t h w c -> b (t h w) c")
        x = repeat(self.latents, "n d -> b n d", b=b)
        for layer in self.layers:
            x = layer(x, data)
        return self.head(x.mean(dim=1))


if __name__ == "__main__":
    model = Perceiver(num_classes=4)
    clips = torch.rand(2, 6, 12, 10, 3)
    logits = model(clips)
    print(nn.functional.cross_entropy(logits, torch.tensor([0, 3])).item())
