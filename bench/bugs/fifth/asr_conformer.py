"""Speech to characters: log-mel frames, subsampling, two conformer blocks, CTC (one GPU research code)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Subsampling(nn.Module):
    def __init__(self, n_mels, d_model):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, d_model, 3, stride=2), nn.ReLU(), nn.Conv2d(d_model, d_model, 3, stride=2), nn.ReLU()
        )
        self.out = nn.Linear(d_model * (((n_mels - 1) // 2 - 1) // 2), d_model)

    def forward(self, feats):
        x = self.conv(feats.unsqueeze(1))
        b, c, t, f = x.size()
        return self.out(x.transpose(1, 2).contiguous().view(b, t, c * f))


class RelPositions(nn.Module):
    def __init__(self, d_model, max_len=300):
        super().__init__()
        self.table = nn.Embedding(2 * max_len - 1, d_model)
        self.max_len = max_len

    def forward(self, t):
        offsets = torch.arange(t)[None, :] - torch.arange(t)[:, None] + self.max_len - 1
        return self.table(offsets)


class RelAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.h, self.d_k = n_heads, d_model // n_heads
        self.linear_q = nn.Linear(d_model, d_model)
        self.linear_k = nn.Linear(d_model, d_model)
        self.linear_v = nn.Linear(d_model, d_model)
        self.linear_out = nn.Linear(d_model, d_model)
        self.positions = RelPositions(self.d_k)
        self.bias_u = nn.Parameter(torch.zeros(n_heads, self.d_k))

    def forward(self, x, mask):
        b, t, d = x.shape
        q = self.linear_q(x).view(b, t, self.h, self.d_k).transpose(1, 2)
        k = self.linear_k(x).view(b, t, self.h, self.d_k).transpose(1, 2)
        v = self.linear_v(x).view(b, t, self.h, self.d_k).transpose(1, 2)
        content = torch.matmul(q + self.bias_u[:, None, :], k.transpose(-2, -1))
        position = torch.einsum("bhid,ijd->bhij", q, self.positions(t))
        scores = (content + position) / self.d_k**0.5
        scores = scores.masked_fill(mask[:, None, None, :], -1e4)
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.linear_out(out.transpose(1, 2).reshape(b, t, d))


class ConvModule(nn.Module):
    def __init__(self, d_model, kernel_size=7):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.pointwise1 = nn.Conv1d(d_model, 2 * d_model, 1)
        self.depthwise = nn.Conv1d(d_model, d_model, kernel_size, padding=kernel_size // 2, groups=d_model)
        self.bn = nn.BatchNorm1d(d_model)
        self.pointwise2 = nn.Conv1d(d_model, d_model, 1)

    def forward(self, x):
        x = self.norm(x).transpose(1, 2)
        x = F.glu(self.pointwise1(x), dim=1)
        x = self.pointwise2(F.silu(self.bn(self.depthwise(x))))
        return x.transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.ff = nn.Sequential(
            nn.LayerNorm(d_model), nn.Linear(d_model, 4 * d_model), nn.SiLU(), nn.Linear(4 * d_model, d_model)
        )
        self.norm = nn.LayerNorm(d_model)
        self.attn = RelAttention(d_model, n_heads)
        self.conv = ConvModule(d_model)

    def forward(self, x, mask):
        x = x + 0.5 * self.ff(x)
        x = x + self.attn(self.norm(x), mask)
        return x + self.conv(x)


class ASR(nn.Module):
    def __init__(self, n_mels=40, d_model=72, n_heads=6, vocab=31):
        super().__init__()
        self.subsampling = Subsampling(n_mels, d_model)
        self.blocks = nn.ModuleList([ConformerBlock(d_model, n_heads) for _ in range(2)])
        self.ctc = nn.Linear(d_model, vocab)

    def forward(self, feats, lengths):
        x = self.subsampling(feats)
        lengths = ((lengths - 1) // 2 - 1) // 2
        mask = torch.arange(x.size(1))[None, :] >= lengths[:, None]
        for block in self.blocks:
            x = block(x, mask)
        return self.ctc(x).log_softmax(dim=-1), lengths


if __name__ == "__main__":
    asr = ASR()
    logp, lengths = asr(torch.randn(3, 120, 40), torch.tensor([120, 100, 80]))
