"""Latent diffusion: a U-Net with time embedding and cross attention to the words of a caption."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CaptionEncoder(nn.Module):
    def __init__(self, vocab_size=500, d_model=48, max_len=16, layers=2, heads=4):
        super().__init__()
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Parameter(torch.randn(max_len, d_model) * 0.02)
        layer = nn.TransformerEncoderLayer(d_model, heads, 4 * d_model, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, tokens):
        pad = tokens == 0
        x = self.token(tokens) + self.position[: tokens.size(1)]
        return self.norm(self.encoder(x, src_key_padding_mask=pad)), pad


class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim, heads=4, dim_head=16):
        super().__init__()
        inner = heads * dim_head
        self.heads, self.scale = heads, dim_head**-0.5
        self.to_q = nn.Linear(query_dim, inner, bias=False)
        self.to_k = nn.Linear(context_dim, inner, bias=False)
        self.to_v = nn.Linear(context_dim, inner, bias=False)
        self.to_out = nn.Linear(inner, query_dim)

    def split(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.heads, -1).transpose(1, 2)

    def forward(self, x, context=None, pad=None):
        context = x if context is None else context
        q, k, v = self.split(self.to_q(x)), self.split(self.to_k(context)), self.split(self.to_v(context))
        sim = q @ k.transpose(-1, -2) * self.scale
        if pad is not None:
            sim = sim.masked_fill(pad[:, None, None, :], torch.finfo(sim.dtype).min)
        out = sim.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).flatten(2))


class SpatialTransformer(nn.Module):
    def __init__(self, channels, context_dim):
        super().__init__()
        self.norm = nn.GroupNorm(8, channels)
        self.proj_in = nn.Conv2d(channels, channels, 1)
        self.norms = nn.ModuleList([nn.LayerNorm(channels) for _ in range(3)])
        self.self_attn = CrossAttention(channels, channels)
        self.cross_attn = CrossAttention(channels, context_dim)
        self.ff = nn.Sequential(nn.Linear(channels, 4 * channels), nn.GELU(), nn.Linear(4 * channels, channels))
        self.proj_out = nn.Conv2d(channels, channels, 1)

    def forward(self, x, context, pad):
        b, c, h, w = x.shape
        skip = x
        x = self.proj_in(self.norm(x)).flatten(2).transpose(1, 2)
        x = x + self.self_attn(self.norms[0](x))
        x = x + self.cross_attn(self.norms[1](x), context, pad)
        x = x + self.ff(self.norms[2](x))
        x = x.transpose(1, 2).reshape(b, c, h, w)
        return skip + self.proj_out(x)


class ResnetBlock(nn.Module):
    def __init__(self, c_in, c_out, t_dim):
        super().__init__()
        self.block1 = nn.Sequential(nn.GroupNorm(8, c_in), nn.SiLU(), nn.Conv2d(c_in, c_out, 3, padding=1))
        self.time = nn.Sequential(nn.SiLU(), nn.Linear(t_dim, c_out))
        self.block2 = nn.Sequential(nn.GroupNorm(8, c_out), nn.SiLU(), nn.Conv2d(c_out, c_out, 3, padding=1))
        self.shortcut = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x, temb):
        h = self.block1(x)
        h = h + self.time(temb)[:, :, None, None]
        return self.block2(h) + self.shortcut(x)


def sinusoid(t, dim):
    freqs = torch.exp(-math.log(10000) * torch.arange(dim // 2, device=t.device) / (dim // 2))
    angles = t.float().unsqueeze(1) * freqs
    return torch.cat((angles.sin(), angles.cos()), dim=1)


class TextUNet(nn.Module):
    def __init__(self, latent=4, base=32, mults=(1, 2, 4), context_dim=48):
        super().__init__()
        self.base = base
        t_dim = base * 4
        self.time_mlp = nn.Sequential(nn.Linear(base, t_dim), nn.SiLU(), nn.Linear(t_dim, t_dim))
        self.conv_in = nn.Conv2d(latent, base, 3, padding=1)
        dims = [base] + [base * m for m in mults]
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        for d_in, d_out in zip(dims[:-1], dims[1:]):
            self.downs.append(
                nn.ModuleList(
                    [
                        ResnetBlock(d_in, d_out, t_dim),
                        SpatialTransformer(d_out, context_dim),
                        nn.Conv2d(d_out, d_out, 3, stride=2, padding=1),
                    ]
                )
            )
        mid = dims[-1]
        self.mid1, self.mid_attn = ResnetBlock(mid, mid, t_dim), SpatialTransformer(mid, context_dim)
        self.mid2 = ResnetBlock(mid, mid, t_dim)
        for d_in, d_out in reversed(list(zip(dims[:-1], dims[1:]))):
            self.ups.append(
                nn.ModuleList(
                    [
                        nn.ConvTranspose2d(d_out, d_out, 4, stride=2, padding=1),
                        ResnetBlock(d_out * 2, d_in, t_dim),
                        SpatialTransformer(d_in, context_dim),
                    ]
                )
            )
        self.out = nn.Sequential(nn.GroupNorm(8, base), nn.SiLU(), nn.Conv2d(base, latent, 3, padding=1))

    def forward(self, x, t, context, pad=None):
        temb = self.time_mlp(sinusoid(t, self.base))
        x = self.conv_in(x)
        skips = []
        for res, attn, down in self.downs:
            x = attn(res(x, temb), context, pad)
            skips.append(x)
            x = down(x)
        x = self.mid2(self.mid_attn(self.mid1(x, temb), context, pad), temb)
        for up, res, attn in self.ups:
            x = up(x)
            x = torch.cat((x, skips.pop()), dim=1)
            x = attn(res(x, temb), context, pad)
        return self.out(x)


class Diffusion:
    def __init__(self, unet, text, steps=1000, drop=0.1):
        self.unet, self.text, self.steps, self.drop = unet, text, steps, drop
        betas = torch.linspace(1e-4, 0.02, steps)
        self.alphas_bar = torch.cumprod(1 - betas, dim=0)

    def loss(self, latents, tokens):
        b = latents.size(0)
        t = torch.randint(0, self.steps, (b,))
        noise = torch.randn_like(latents)
        a = self.alphas_bar[t].view(b, 1, 1, 1)
        noisy = a.sqrt() * latents + (1 - a).sqrt() * noise
        context, pad = self.text(tokens)
        keep = (torch.rand(b) > self.drop).float()
        context = context * keep[:, None, None]
        return F.mse_loss(self.unet(noisy, t, context, pad), noise)

    @torch.no_grad()
    def guided(self, x, t, tokens, scale=5.0):
        context, pad = self.text(tokens)
        both = torch.cat([context, torch.zeros_like(context)])
        eps = self.unet(x.repeat(2, 1, 1, 1), t.repeat(2), both, pad.repeat(2, 1))
        cond, uncond = eps.chunk(2)
        return uncond + scale * (cond - uncond)


if __name__ == "__main__":
    diffusion = Diffusion(TextUNet(), CaptionEncoder())
    latents, tokens = torch.randn(2, 4, 16, 16), torch.randint(1, 500, (2, 12))
    diffusion.loss(latents, tokens).backward()
    print(diffusion.guided(latents, torch.full((2,), 999), tokens).shape)
