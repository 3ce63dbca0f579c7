"""A small conformer for speech, trained with CTC: subsampling, masked attention, depthwise convolutions."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Subsample(nn.Module):
    def __init__(self, n_mels, dim):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 16, 3, stride=2, padding=1)
        self.out = nn.Linear(16 * (n_mels // 4), dim)

    def forward(self, mel):
        x = mel.unsqueeze(1)
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        n, c, t, f = x.shape
        x = x.transpose(1, 2).reshape(n, t, c * f)
        return self.out(x)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.heads, self.drop = heads, drop
        self.to_q = nn.Linear(dim, dim)
        self.to_kv = nn.Linear(dim, dim * 2)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, pad):
        n, t, d = x.shape
        q = self.to_q(x).view(n, t, self.heads, -1).permute(0, 2, 1, 3)
        k, v = self.to_kv(x).view(n, t, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * (d // self.heads) ** -0.5
        sim = sim.masked_fill(pad[:, None, None, :], -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        attn = F.dropout(attn, p=self.drop, training=self.training)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        out = out.permute(0, 2, 1, 3).reshape(n, t, d)
        return self.to_out(out)


class ConvModule(nn.Module):
    def __init__(self, dim, kernel=7):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.expand = nn.Conv1d(dim, dim * 2, 1)
        self.depth = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.bn = nn.BatchNorm1d(dim)
        self.shrink = nn.Conv1d(dim, dim, 1)

    def forward(self, x, pad):
        x = self.norm(x).transpose(1, 2)
        x = F.glu(self.expand(x), dim=1)
        x = x.masked_fill(pad[:, None, :], 0.0)
        x = F.silu(self.bn(self.depth(x)))
        return self.shrink(x).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads, drop)
        self.conv = ConvModule(dim)
        self.ff = nn.Sequential(
            nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.SiLU(), nn.Dropout(drop), nn.Linear(4 * dim, dim)
        )
        self.norm2 = nn.LayerNorm(dim)

    def forward(self, x, pad):
        x = x + self.attn(self.norm1(x), pad)
        x = x + self.conv(x, pad)
        x = x + 0.5 * self.ff(x)
        return self.norm2(x)


class Conformer(nn.Module):
    def __init__(self, n_mels=40, dim=48, heads=4, depth=2, vocab=31, drop=0.1):
        super().__init__()
        self.sub = Subsample(n_mels, dim)
        self.blocks = nn.ModuleList([Block(dim, heads, drop) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab)
        freq = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        self.register_buffer("freq", freq, persistent=False)

    def positions(self, t, like):
        angle = torch.arange(t, device=like.device).unsqueeze(1) * self.freq
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)

    def forward(self, mel, lengths):
        x = self.sub(mel)
        x = x + self.positions(x.size(1), x)
        lengths = (lengths + 3) // 4
        pad = torch.arange(x.size(1), device=x.device)[None, :] >= lengths[:, None]
        for block in self.blocks:
            x = block(x, pad)
        return self.head(x), lengths


class Recognizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Conformer()
        self.ctc = nn.CTCLoss(zero_infinity=True)

    def forward(self, mel, mel_len, text, text_len):
        logits, lengths = self.model(mel, mel_len)
        logp = logits.log_softmax(dim=-1)
        return self.ctc(logp.transpose(0, 1), text, lengths, text_len)


if __name__ == "__main__":
    task = Recognizer()
    mel = torch.randn(3, 64, 40)
    loss = task(mel, torch.tensor([64, 50, 32]), torch.randint(1, 31, (3, 6)), torch.tensor([6, 4, 2]))
    loss.backward()
    print(loss.item())
