"""Lecture 9: contacts between residues, read from an alignment of related proteins.

The alignment is a table: one row for each sequence, one column for each residue.  Attention over the whole table would
be too much, so that we let it run along one axis at a time.
"""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

GAP, PAD = 20, 21


@dataclass
class ContactConfig:
    vocab: int = 22
    dim: int = 32
    heads: int = 4
    pair_dim: int = 24
    pair_heads: int = 3
    outer: int = 6
    layers: int = 2
    max_offset: int = 8
    bins: int = 10
    dropout: float = 0.1


class AxialAttention(nn.Module):
    """Self-attention along the last axis but one; all axes before it are batch."""

    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, keep):
        # x: [n, length, dim], keep: [n, length], True where there is something to look at
        n, length, dim = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (t.view(n, length, self.heads, dim // self.heads).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None, :])
        y = y.transpose(1, 2).reshape(n, length, dim)
        return self.drop(self.out(y))


class AlignmentBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.rows = AxialAttention(cfg.dim, cfg.heads, cfg.dropout)
        self.columns = AxialAttention(cfg.dim, cfg.heads, cfg.dropout)
        self.mlp = nn.Sequential(
            nn.LayerNorm(cfg.dim),
            nn.Linear(cfg.dim, 4 * cfg.dim),
            nn.GELU(),
            nn.Linear(4 * cfg.dim, cfg.dim),
        )

    def forward(self, x, keep):
        b, r, l, d = x.shape
        # along each sequence: the rows are batch
        y = self.rows(x.reshape(b * r, l, d), keep.repeat_interleave(r, dim=0))
        x = x + y.view(b, r, l, d)
        # along each column: now the residues are batch
        y = x.transpose(1, 2).reshape(b * l, r, d)
        y = self.columns(y, torch.ones(b * l, r, dtype=torch.bool, device=x.device))
        x = x + y.view(b, l, r, d).transpose(1, 2)
        return x + self.mlp(x)


class OuterProduct(nn.Module):
    """What two columns have in common, averaged over the sequences."""

    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.dim)
        self.left = nn.Linear(cfg.dim, cfg.outer)
        self.right = nn.Linear(cfg.dim, cfg.outer)
        self.proj = nn.Linear(cfg.outer * cfg.outer, cfg.pair_dim)

    def forward(self, x):
        x = self.norm(x)
        a, b = self.left(x), self.right(x)
        outer = torch.einsum("brid,brje->bijde", a, b) / x.shape[1]
        return self.proj(outer.flatten(-2))


def pair_attention(cfg):
    return nn.MultiheadAttention(cfg.pair_dim, cfg.pair_heads, dropout=cfg.dropout, batch_first=True)


class PairBlock(nn.Module):
    """Axial attention over the map, first along its rows, then along its columns."""

    def __init__(self, cfg):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.pair_dim)
        self.norm2 = nn.LayerNorm(cfg.pair_dim)
        self.row = pair_attention(cfg)
        self.col = pair_attention(cfg)

    def forward(self, z, keep):
        b, l, _, p = z.shape
        ignore = ~keep.repeat_interleave(l, dim=0)
        y = self.norm1(z).reshape(b * l, l, p)
        y, _ = self.row(y, y, y, key_padding_mask=ignore)
        z = z + y.reshape(b, l, l, p)
        y = self.norm2(z).transpose(1, 2).reshape(b * l, l, p)
        y, _ = self.col(y, y, y, key_padding_mask=ignore)
        return z + y.reshape(b, l, l, p).transpose(1, 2)


class ContactNet(nn.Module):
    def __init__(self, cfg: ContactConfig):
        super().__init__()
        self.cfg = cfg
        self.tokens = nn.Embedding(cfg.vocab, cfg.dim, padding_idx=PAD)
        self.query_flag = nn.Parameter(torch.zeros(cfg.dim))
        self.offsets = nn.Embedding(2 * cfg.max_offset + 1, cfg.pair_dim)
        self.blocks = nn.ModuleList(AlignmentBlock(cfg) for _ in range(cfg.layers))
        self.outer = OuterProduct(cfg)
        self.pairs = nn.ModuleList(PairBlock(cfg) for _ in range(cfg.layers))
        self.smooth = nn.Conv2d(cfg.pair_dim, cfg.pair_dim, 3, padding=1)
        self.distance = nn.Linear(cfg.pair_dim, cfg.bins)

    def relative(self, length, device):
        place = torch.arange(length, device=device)
        offset = place[:, None] - place[None, :]
        offset = offset.clamp(-self.cfg.max_offset, self.cfg.max_offset)
        return self.offsets(offset + self.cfg.max_offset)

    def forward(self, alignment):
        # alignment: [b, rows, length] of token ids; its first row is the protein itself
        keep = alignment[:, 0] != PAD
        x = self.tokens(alignment)
        first = (torch.arange(x.shape[1], device=x.device) == 0).float()
        x = x + first[:, None, None] * self.query_flag
        for block in self.blocks:
            x = block(x, keep)
        z = self.outer(x) + self.relative(x.shape[2], x.device)
        for block in self.pairs:
            z = block(z, keep)
        z = F.gelu(self.smooth(z.permute(0, 3, 1, 2))).permute(0, 2, 3, 1)
        z = z + z.transpose(1, 2)  # a contact has no direction
        return self.distance(z)
