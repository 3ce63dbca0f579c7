"""Small text-conditioned U-Net for the icon generator."""
import math

import torch
from torch import Tensor, nn
import torch.nn.functional as F


def time_embedding(t: Tensor, dim: int) -> Tensor:
    half = dim // 2
    freqs = torch.exp(-math.log(10_000) * torch.arange(half, device=t.device) / half)
    angles = t.float()[:, None] * freqs[None, :]
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, t_dim: int, groups: int = 8) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, c_in)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.scale_shift = nn.Linear(t_dim, 2 * c_out)
        self.norm2 = nn.GroupNorm(groups, c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.shortcut = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x: Tensor, temb: Tensor) -> Tensor:
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.scale_shift(F.silu(temb))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        h = self.conv2(F.silu(h))
        return h + self.shortcut(x)


class CrossAttention(nn.Module):
    def __init__(self, channels: int, ctx_dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, channels)
        self.to_q = nn.Linear(channels, channels, bias=False)
        self.to_kv = nn.Linear(ctx_dim, 2 * channels, bias=False)
        self.to_out = nn.Linear(channels, channels)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, ctx: Tensor, ctx_mask: Tensor) -> Tensor:
        b, c, h, w = x.shape
        tokens = self.norm(x).flatten(2).transpose(1, 2)
        q = self.split(self.to_q(tokens))
        k, v = map(self.split, self.to_kv(ctx).chunk(2, dim=-1))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=ctx_mask[:, None, None, :])
        out = self.to_out(out.transpose(1, 2).flatten(2))
        return x + out.transpose(1, 2).reshape(b, c, h, w)


class Downsample(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x)


class Upsample(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(F.interpolate(x, scale_factor=2, mode="nearest"))


class CaptionEncoder(nn.Module):
    def __init__(self, vocab: int, dim: int, max_len: int, heads: int = 4) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Parameter(0.02 * torch.randn(max_len, dim))
        self.layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.0, batch_first=True)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        keep = ids != 0
        x = self.tokens(ids) + self.positions[: ids.shape[1]]
        return self.layer(x, src_key_padding_mask=~keep), keep


class CondUNet(nn.Module):
    def __init__(
        self,
        in_channels: int = 3,
        base: int = 16,
        mults: tuple[int, ...] = (1, 2, 3),
        ctx_dim: int = 24,
        heads: int = 4,
        vocab: int = 30,
        max_len: int = 6,
    ) -> None:
        super().__init__()
        self.base = base
        t_dim = 4 * base
        self.time_mlp = nn.Sequential(nn.Linear(base, t_dim), nn.SiLU(), nn.Linear(t_dim, t_dim))
        self.caption = CaptionEncoder(vocab, ctx_dim, max_len)
        self.stem = nn.Conv2d(in_channels, base, 3, padding=1)

        widths = [base * m for m in mults]
        self.down = nn.ModuleList()
        c = base
        for i, width in enumerate(widths):
            last = i == len(widths) - 1
            self.down.append(nn.ModuleList([
                ResBlock(c, width, t_dim),
                CrossAttention(width, ctx_dim, heads),
                nn.Identity() if last else Downsample(width),
            ]))
            c = width
        self.mid = ResBlock(c, c, t_dim)
        self.up = nn.ModuleList()
        for i, width in reversed(list(enumerate(widths))):
            first = i == 0
            self.up.append(nn.ModuleList([
                ResBlock(c + width, width, t_dim),
                CrossAttention(width, ctx_dim, heads),
                nn.Identity() if first else Upsample(width),
            ]))
            c = width
        self.out_norm = nn.GroupNorm(8, c)
        self.out = nn.Conv2d(c, in_channels, 3, padding=1)

    def forward(self, x: Tensor, t: Tensor, ids: Tensor) -> Tensor:
        temb = self.time_mlp(time_embedding(t, self.base))
        ctx, keep = self.caption(ids)
        h = self.stem(x)
        skips = []
        for res, attn, down in self.down:
            h = attn(res(h, temb), ctx, keep)
            skips.append(h)
            h = down(h)
        h = self.mid(h, temb)
        for res, attn, up in self.up:
            h = res(torch.cat([h, skips.pop()], dim=1), temb)
            h = up(attn(h, ctx, keep))
        return self.out(F.silu(self.out_norm(h)))
