import math

import torch
import torch.nn as nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        assert d_model % n_heads == 0
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.attn_drop = nn.Dropout(dropout)

    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.h, self.d_k).transpose(1, 2)

    def forward(self, x, pad_mask):
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))

        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(self.d_k)
        # True where the frame is padding
        scores = scores.masked_fill(pad_mask[:, None, None, :], float("-inf"))
        weights = self.attn_drop(torch.softmax(scores, dim=-1))
        context = torch.einsum("bhij,bhjd->bhid", weights, v)

        context = context.transpose(1, 2).flatten(2)
        return self.out(context)


class ConvModule(nn.Module):
    def __init__(self, d_model, kernel=7):
        super().__init__()
        self.pw1 = nn.Conv1d(d_model, 2 * d_model, 1)
        self.dw = nn.Conv1d(d_model, d_model, kernel, padding=kernel // 2, groups=d_model)
        self.pw2 = nn.Conv1d(d_model, d_model, 1)
        self.glu = nn.GLU(dim=1)

    def forward(self, x):
        y = self.glu(self.pw1(x.transpose(1, 2)))
        y = nn.functional.silu(self.dw(y))
        return self.pw2(y).transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.norm_a = nn.LayerNorm(d_model)
        self.norm_c = nn.LayerNorm(d_model)
        self.attn = MultiHeadSelfAttention(d_model, n_heads)
        self.conv = ConvModule(d_model)

    def forward(self, x, pad_mask):
        x = x + self.attn(self.norm_a(x), pad_mask)
        return x + self.conv(self.norm_c(x))


class Recognizer(nn.Module):
    def __init__(self, n_mels=20, d_model=32, n_heads=4, n_blocks=2, vocab=15):
        super().__init__()
        self.embed = nn.Linear(n_mels, d_model)
        self.blocks = nn.ModuleList(ConformerBlock(d_model, n_heads) for _ in range(n_blocks))
        self.ctc = nn.Linear(d_model, vocab)

    def forward(self, mels, lengths):
        t = mels.size(1)
        pad_mask = torch.arange(t, device=mels.device)[None, :] >= lengths[:, None]
        x = self.embed(mels)
        for block in self.blocks:
            x = block(x, pad_mask)
        return self.ctc(x).log_softmax(-1)


Recognizer()(torch.randn(2, 12, 20), torch.tensor([12, 9]))
