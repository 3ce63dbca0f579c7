"""Objects in short films: a 3d stem, slots that compete for places, a broadcast decoder, an LSTM over time."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def build_grid(h, w):
    ys, xs = torch.linspace(0, 1, h), torch.linspace(0, 1, w)
    grid = torch.stack(torch.meshgrid(ys, xs, indexing="ij"), dim=-1)
    return torch.cat([grid, 1 - grid], dim=-1).unsqueeze(0)


class SoftPositionEmbed(nn.Module):
    def __init__(self, hidden, resolution):
        super().__init__()
        self.dense = nn.Linear(4, hidden)
        self.register_buffer("grid", build_grid(*resolution))

    def forward(self, x):
        return x + self.dense(self.grid)


class SlotAttention(nn.Module):
    def __init__(self, num_slots, dim, iters=2):
        super().__init__()
        self.num_slots, self.iters, self.scale = num_slots, iters, dim**-0.5
        self.mu = nn.Parameter(torch.randn(1, 1, dim))
        self.sigma = nn.Parameter(torch.rand(1, 1, dim))
        self.to_q, self.to_k, self.to_v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.gru = nn.GRUCell(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, inputs):
        b, n, d = inputs.shape
        mu = self.mu.expand(b, self.num_slots, -1)
        slots = mu + self.sigma * torch.randn_like(mu)
        k, v = self.to_k(inputs), self.to_v(inputs)
        for _ in range(self.iters):
            q = self.to_q(self.norm(slots))
            attn = torch.einsum("bid,bjd->bij", q, k) * self.scale
            attn = attn.softmax(dim=1) + 1e-8
            attn = attn / attn.sum(dim=-1, keepdim=True)
            updates = torch.bmm(attn, v)
            slots = self.gru(updates.reshape(-1, d), slots.reshape(-1, d)).reshape(b, -1, d)
            slots = slots + self.mlp(slots)
        return slots


class Decoder(nn.Module):
    def __init__(self, dim, resolution):
        super().__init__()
        self.resolution = resolution
        self.position = SoftPositionEmbed(dim, (resolution[0] // 4, resolution[1] // 4))
        self.deconv = nn.Sequential(
            nn.ConvTranspose2d(dim, 18, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(18, 4, 4, stride=2, padding=1),
        )

    def forward(self, slots):
        b, s, d = slots.shape
        h, w = self.resolution[0] // 4, self.resolution[1] // 4
        x = slots.reshape(b * s, 1, 1, d).repeat(1, h, w, 1)
        x = self.position(x).permute(0, 3, 1, 2)
        rgb, alpha = self.deconv(x).view(b, s, 4, *self.resolution).split([3, 1], dim=2)
        return (rgb * alpha.softmax(dim=1)).sum(dim=1)


class SlotVideo(nn.Module):
    def __init__(self, resolution=(24, 32), num_slots=5, dim=26):
        super().__init__()
        h, w = resolution
        self.stem = nn.Sequential(
            nn.Conv3d(3, 14, (3, 5, 5), stride=(1, 2, 2), padding=(1, 2, 2)),
            nn.BatchNorm3d(14),
            nn.ReLU(),
            nn.Conv3d(14, dim, 3, padding=1),
        )
        self.position = SoftPositionEmbed(dim, (h // 2, w // 2))
        self.slots = SlotAttention(num_slots, dim)
        self.memory = nn.LSTM(dim, dim)
        self.decoder = Decoder(dim, resolution)

    def forward(self, video):
        b, t, c, h, w = video.shape
        x = self.stem(video.transpose(1, 2))
        x = x.permute(0, 2, 3, 4, 1).flatten(0, 1)
        x = self.position(x).flatten(1, 2)
        slots = self.slots(x)
        s, d = slots.shape[1:]
        slots = slots.view(b, t, s, d).permute(1, 0, 2, 3).reshape(t, b * s, d)
        slots, _ = self.memory(slots)
        slots = slots.view(t, b, s, d).transpose(0, 1).reshape(b * t, s, d)
        recon = self.decoder(slots).view(b, t, 3, h, w)
        return F.mse_loss(recon, video), recon


if __name__ == "__main__":
    net = SlotVideo()
    loss, recon = net(torch.rand(2, 4, 3, 24, 32))
