"""A Perceiver for event cameras: a bag of events (t, x, y, polarity) -> gesture."""

from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import Tensor


@dataclass
class PerceiverArgs:
    num_events: int = 200
    fourier_bands: int = 6
    num_latents: int = 24
    latent_dim: int = 64
    cross_heads: int = 1
    self_heads: int = 4
    depth: int = 2
    blocks: int = 2
    gestures: int = 11
    sensor: tuple = (34, 34)


class FourierFeatures(nn.Module):
    def __init__(self, bands: int, coords: int = 3):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(bands))
        self.out_dim = coords * (2 * bands + 1)

    def forward(self, pos: Tensor) -> Tensor:
        angles = pos.unsqueeze(-1) * self.freqs * torch.pi
        enc = torch.cat([angles.sin(), angles.cos(), pos.unsqueeze(-1)], dim=-1)
        return enc.flatten(-2)


class GEGLU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        a, gate = x.chunk(2, dim=-1)
        return a * nn.functional.gelu(gate)


def feed_forward(dim: int, mult: int = 2) -> nn.Sequential:
    return nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim * mult * 2), GEGLU(), nn.Linear(dim * mult, dim))


class CrossAttention(nn.Module):
    def __init__(self, dim: int, context_dim: int, heads: int):
        super().__init__()
        self.norm_q = nn.LayerNorm(dim)
        self.norm_kv = nn.LayerNorm(context_dim)
        self.attn = nn.MultiheadAttention(dim, heads, kdim=context_dim, vdim=context_dim, batch_first=True)

    def forward(self, latents: Tensor, context: Tensor, pad: Tensor) -> Tensor:
        kv = self.norm_kv(context)
        out, _ = self.attn(self.norm_q(latents), kv, kv, key_padding_mask=pad)
        return latents + out


class SelfBlock(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ff = feed_forward(dim)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.ff(x)


class Perceiver(nn.Module):
    def __init__(self, args: PerceiverArgs):
        super().__init__()
        self.fourier = FourierFeatures(args.fourier_bands)
        self.polarity = nn.Embedding(2, 8)
        self.latents = nn.Parameter(torch.randn(args.num_latents, args.latent_dim) * 0.02)
        context = self.fourier.out_dim + 8
        self.cross = nn.ModuleList(
            [CrossAttention(args.latent_dim, context, args.cross_heads) for _ in range(args.depth)]
        )
        self.tower = nn.ModuleList(
            nn.Sequential(*[SelfBlock(args.latent_dim, args.self_heads) for _ in range(args.blocks)])
            for _ in range(args.depth)
        )
        self.query = nn.Parameter(torch.randn(1, args.latent_dim))
        self.decoder = CrossAttention(args.latent_dim, args.latent_dim, args.cross_heads)
        self.logits = nn.Linear(args.latent_dim, args.gestures)

    def forward(self, coords: Tensor, polarity: Tensor, pad: Tensor) -> Tensor:
        context = torch.cat([self.fourier(coords), self.polarity(polarity)], dim=-1)
        x = self.latents.expand(coords.shape[0], -1, -1)
        for cross, tower in zip(self.cross, self.tower):
            x = tower(cross(x, context, pad))
        query = self.query.expand(x.size(0), -1, -1)
        pooled = self.decoder(query, x, None)
        return self.logits(pooled.squeeze(1))


def random_events(args: PerceiverArgs, batch: int):
    h, w = args.sensor
    t = torch.rand(batch, args.num_events).sort(dim=1).values
    y = torch.randint(h, (batch, args.num_events)) / h
    x = torch.randint(w, (batch, args.num_events)) / w
    lengths = torch.randint(args.num_events // 2, args.num_events, (batch,))
    pad = torch.arange(args.num_events)[None] >= lengths[:, None]
    return torch.stack([t, y, x], dim=-1), torch.randint(2, (batch, args.num_events)), pad


if __name__ == "__main__":
    args = PerceiverArgs()
    net = Perceiver(args)
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    coords, polarity, pad = random_events(args, 4)
    target = torch.randint(args.gestures, (4,))
    loss = criterion(net(coords, polarity, pad), target)
    loss.backward()
    optimizer.step()
