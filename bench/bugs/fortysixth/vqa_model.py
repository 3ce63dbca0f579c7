"""Stacked co-attention over image regions and question words."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@dataclass
class VQAConfig:
    vocab: int = 13
    answers: int = 7
    word_dim: int = 24
    hidden: int = 32
    region_dim: int = 48
    width: int = 64
    hops: int = 2
    glimpses: int = 2
    dropout: float = 0.1


class RegionEncoder(nn.Module):
    """Image -> [batch, regions, region_dim], with the coordinates of each region appended to its features."""

    def __init__(self, cfg):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
        )
        self.lift = nn.Conv2d(32 + 2, cfg.region_dim, 1)

    def forward(self, images):
        f = self.trunk(images)
        b, _, h, w = f.shape
        ys = torch.linspace(-1, 1, h, device=f.device).view(1, 1, h, 1).expand(b, 1, h, w)
        xs = torch.linspace(-1, 1, w, device=f.device).view(1, 1, 1, w).expand(b, 1, h, w)
        f = self.lift(torch.cat([f, ys, xs], dim=1))
        return f.flatten(2).transpose(1, 2)


class QuestionEncoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.words = nn.Embedding(cfg.vocab, cfg.word_dim, padding_idx=0)
        self.rnn = nn.LSTM(cfg.word_dim, cfg.hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, ids, lengths):
        x = self.drop(torch.tanh(self.words(ids)))
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (last, _) = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True)
        summary = torch.cat([last[0], last[1]], dim=-1)
        return states, summary


class Hop(nn.Module):
    """One round: the query looks at the regions, then at the words."""

    def __init__(self, cfg):
        super().__init__()
        self.glimpses = cfg.glimpses
        self.query = nn.Linear(cfg.width, cfg.width)
        self.keys = nn.Linear(cfg.region_dim, cfg.width)
        self.score = nn.Linear(cfg.width, cfg.glimpses)
        self.mix = nn.Linear(cfg.glimpses * cfg.region_dim, cfg.width)
        self.word_keys = nn.Linear(2 * cfg.hidden, cfg.width)
        self.norm = nn.LayerNorm(cfg.width)

    def forward(self, query, regions, words, pad):
        joint = torch.tanh(self.keys(regions) + self.query(query).unsqueeze(1))
        weights = self.score(joint).softmax(dim=1)
        seen = torch.einsum("brg,brd->bgd", weights, regions)
        seen = self.mix(seen.flatten(1))

        energy = torch.bmm(self.word_keys(words), query.unsqueeze(2)).squeeze(2)
        energy = energy.masked_fill(pad, float("-inf"))
        read = (energy.softmax(dim=-1).unsqueeze(-1) * words).sum(dim=1)
        return self.norm(query + seen + read), weights


class VQANet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        assert cfg.width == 2 * cfg.hidden
        self.regions = RegionEncoder(cfg)
        self.question = QuestionEncoder(cfg)
        self.hops = nn.ModuleList(Hop(cfg) for _ in range(cfg.hops))
        self.fuse = nn.Bilinear(cfg.width, cfg.region_dim, cfg.width)
        self.head = nn.Sequential(nn.Linear(2 * cfg.width, cfg.width), nn.ReLU(), nn.Linear(cfg.width, cfg.answers))

    def forward(self, images, ids, lengths):
        regions = self.regions(images)
        words, query = self.question(ids, lengths)
        pad = torch.arange(ids.size(1), device=ids.device)[None, :] >= lengths[:, None]
        maps = []
        for hop in self.hops:
            query, weights = hop(query, regions, words, pad)
            maps.append(weights)
        fused = F.relu(self.fuse(query, regions.mean(dim=1)))
        logits = self.head(torch.cat([query, fused], dim=-1))
        return logits, torch.stack(maps, dim=1)
