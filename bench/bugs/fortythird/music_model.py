"""Decoder-only transformer with the relative attention of Huang et al. (2018)."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

from music_data import N_DUR, N_PITCH, N_VEL


@dataclass
class MusicConfig:
    d_model: int = 48
    n_heads: int = 4
    n_layers: int = 2
    d_ff: int = 96
    max_len: int = 32
    dropout: float = 0.1

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads


class EventEmbedding(nn.Module):
    def __init__(self, cfg: MusicConfig):
        super().__init__()
        self.pitch = nn.Embedding(N_PITCH, cfg.d_model // 2)
        self.dur = nn.Embedding(N_DUR, cfg.d_model // 4)
        self.vel = nn.Embedding(N_VEL, cfg.d_model // 4)
        self.beat = nn.Embedding(16, cfg.d_model)
        self.mix = nn.Linear(cfg.d_model, cfg.d_model)

    def forward(self, events, beat):
        pitch, dur, vel = events.unbind(-1)
        x = torch.cat([self.pitch(pitch), self.dur(dur), self.vel(vel)], dim=-1)
        return self.mix(x) + self.beat(beat)


class RelativeAttention(nn.Module):
    def __init__(self, cfg: MusicConfig):
        super().__init__()
        self.h, self.d, self.max_len = cfg.n_heads, cfg.d_head, cfg.max_len
        self.qkv = nn.Linear(cfg.d_model, 3 * cfg.d_model, bias=False)
        self.rel = nn.Parameter(torch.randn(cfg.n_heads, cfg.max_len, cfg.d_head) * 0.02)
        self.out = nn.Linear(cfg.d_model, cfg.d_model)
        self.drop = nn.Dropout(cfg.dropout)
        causal = torch.ones(cfg.max_len, cfg.max_len, dtype=torch.bool).triu(1)
        self.register_buffer("causal", causal)

    @staticmethod
    def skew(s):
        """[B, H, L, L] scores by distance -> scores by key."""
        b, h, l, m = s.shape
        s = F.pad(s, (1, 0))
        s = s.view(b, h, m + 1, l)
        return s[:, :, 1:]

    def forward(self, x):
        b, l, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.h, self.d)).transpose(1, 2) for t in (q, k, v))
        rel = self.rel[:, self.max_len - l:]
        by_distance = torch.einsum("bhld,hmd->bhlm", q, rel)
        content = q @ k.transpose(-2, -1)
        scores = (content + self.skew(by_distance)) / self.d ** 0.5
        scores = scores.masked_fill(self.causal[:l, :l], float("-inf"))
        att = self.drop(scores.softmax(dim=-1))
        y = (att @ v).transpose(1, 2).reshape(b, l, -1)
        return self.out(y)


class Block(nn.Module):
    def __init__(self, cfg: MusicConfig):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.d_model)
        self.att = RelativeAttention(cfg)
        self.norm2 = nn.LayerNorm(cfg.d_model)
        self.up = nn.Linear(cfg.d_model, 2 * cfg.d_ff)
        self.down = nn.Linear(cfg.d_ff, cfg.d_model)

    def forward(self, x):
        x = x + self.att(self.norm1(x))
        return x + self.down(F.glu(self.up(self.norm2(x)), dim=-1))


class MusicTransformer(nn.Module):
    def __init__(self, cfg: MusicConfig):
        super().__init__()
        self.cfg = cfg
        self.embed = EventEmbedding(cfg)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.n_layers))
        self.norm = nn.LayerNorm(cfg.d_model)
        self.sizes = [N_PITCH, N_DUR, N_VEL]
        self.head = nn.Linear(cfg.d_model, sum(self.sizes))

    def forward(self, events, beat):
        x = self.embed(events, beat)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).split(self.sizes, dim=-1)

    def loss(self, events, beat, weights=(1.0, 0.5, 0.25)):
        preds = self(events[:, :-1], beat[:, :-1])
        target = events[:, 1:]
        parts = [F.cross_entropy(p.transpose(1, 2), target[..., i]) for i, p in enumerate(preds)]
        return sum(w * part for w, part in zip(weights, parts)), parts

    @torch.no_grad()
    def generate(self, events, beat, steps, top_k=5):
        for _ in range(steps):
            window, pos = events[:, -self.cfg.max_len:], beat[:, -self.cfg.max_len:]
            picked = []
            for logits in self(window, pos):
                value, index = logits[:, -1].topk(min(top_k, logits.size(-1)), dim=-1)
                choice = torch.multinomial(value.softmax(-1), 1)
                picked.append(index.gather(1, choice))
            new = torch.stack(picked, dim=-1)
            next_beat = (beat[:, -1:] + events[:, -1:, 1]) % 16
            events = torch.cat([events, new], dim=1)
            beat = torch.cat([beat, next_beat], dim=1)
        return events
