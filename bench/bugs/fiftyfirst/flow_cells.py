# %% [markdown]
# # Flow matching on little pictures
# Straight paths from noise to pictures of bars and rings; a small U-Net learns the velocity along them,
# and guidance without a classifier makes the pictures of one kind.

# %%
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange

torch.manual_seed(0)
SIDE, N_KINDS, NULL_KIND = 12, 3, 3
WIDTH, EMB, HEADS = 16, 64, 4

# %% The pictures: bars, columns and rings
def make_pictures(n):
    kind = torch.randint(N_KINDS, (n,))
    axis = torch.linspace(-1, 1, SIDE)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    shift = torch.rand(n, 2, 1, 1) - 0.5
    dy, dx = y - shift[:, 0], x - shift[:, 1]
    shapes = torch.stack([dy.abs(), dx.abs(), ((dx**2 + dy**2).sqrt() - 0.5).abs()], dim=1)
    ink = torch.exp(-((shapes / 0.2) ** 2))
    pictures = ink[torch.arange(n), kind].unsqueeze(1)
    return 2 * pictures - 1, kind


pictures, kinds = make_pictures(128)
print(pictures.shape, kinds.bincount().tolist())

# %% Embedding of the time
class FourierTime(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("rates", torch.exp(torch.linspace(0, math.log(100.0), dim // 2)))
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t):
        angles = t[:, None] * self.rates
        return self.mlp(torch.cat([angles.sin(), angles.cos()], dim=-1))

# %% Blocks
class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, p=0.1):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, c_in), nn.GroupNorm(4, c_out)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.film = nn.Linear(EMB, 2 * c_out)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()
        self.p = p

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.film(emb)[:, :, None, None].chunk(2, dim=1)
        h = F.silu(self.norm2(h) * (1 + scale) + shift)
        h = F.dropout(h, self.p, training=self.training)
        return self.skip(x) + self.conv2(h)


class PixelAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.out = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        qkv = self.qkv(self.norm(x))
        q, k, v = rearrange(qkv, "b (n heads c) h w -> n b heads (h w) c", n=3, heads=HEADS)
        mixed = F.scaled_dot_product_attention(q, k, v)
        mixed = mixed.transpose(2, 3).reshape(b, c, h, w)
        return x + self.out(mixed)

# %% The U-Net: 12, 6 and 3 pixels wide
class VelocityNet(nn.Module):
    def __init__(self, w=WIDTH):
        super().__init__()
        self.time, self.kind = FourierTime(EMB), nn.Embedding(N_KINDS + 1, EMB)
        self.stem = nn.Conv2d(1, w, 3, padding=1)
        self.down1, self.pool1 = ResBlock(w, w), nn.Conv2d(w, w, 3, stride=2, padding=1)
        self.down2, self.pool2 = ResBlock(w, 2 * w), nn.Conv2d(2 * w, 2 * w, 4, stride=2, padding=1)
        self.middle, self.attention = ResBlock(2 * w, 2 * w), PixelAttention(2 * w)
        self.up2, self.up1 = ResBlock(4 * w, w), ResBlock(2 * w, w)
        self.head = nn.Conv2d(w, 1, 3, padding=1)

    def forward(self, x, t, kind):
        emb = self.time(t) + self.kind(kind)
        a = self.down1(self.stem(x), emb)
        b = self.down2(self.pool1(a), emb)
        h = self.attention(self.middle(self.pool2(b), emb))
        h = torch.cat([F.interpolate(h, scale_factor=2), b], dim=1)
        h = self.up2(h, emb)
        h = torch.cat([F.interpolate(h, scale_factor=2), a], dim=1)
        return self.head(F.silu(self.up1(h, emb)))

# %% Training
net = VelocityNet()
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
net.train()
for step in range(8):
    pick = torch.randint(len(pictures), (20,))
    x1, kind = pictures[pick], kinds[pick]
    kind = torch.where(torch.rand(len(kind)) < 0.15, NULL_KIND, kind)
    x0, t = torch.randn_like(x1), torch.rand(len(x1))
    xt = torch.lerp(x0, x1, t[:, None, None, None])
    loss = F.mse_loss(net(xt, t, kind), x1 - x0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")

# %% Guided sampling with Heun's method
@torch.no_grad()
def guided(x, time, kind, strength):
    n = len(x)
    t = torch.full((n,), time)
    both = torch.cat([kind, torch.full_like(kind, NULL_KIND)])
    velocity = net(torch.cat([x, x]), t.repeat(2), both)
    with_kind, without = velocity[:n], velocity[n:]
    return without + strength * (with_kind - without)


net.eval()
wanted = torch.arange(N_KINDS).repeat_interleave(3)
x, n_steps = torch.randn(len(wanted), 1, SIDE, SIDE), 6
for i in range(n_steps):
    now, dt = i / n_steps, 1 / n_steps
    v = guided(x, now, wanted, 2.0)
    ahead = guided(x + dt * v, now + dt, wanted, 2.0)
    x = x + dt * (v + ahead) / 2
print(x.shape, f"{x.mean().item():.3f}")
