"""Contacts in proteins: attention along rows and columns of aligned sequences."""

import torch
from torch import nn

settings = {
    "tokens": 25,
    "dim": 36,
    "heads": 6,
    "layers": 2,
    "pair_dim": 16,
    "max_len": 40,
}


class RowAttention(nn.Module):
    """Rows share one map, which the pairs of places bias."""

    def __init__(self, dim, heads, pair_dim):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.pair_bias = nn.Linear(pair_dim, heads, bias=False)
        self.gate = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, msa, pair):
        b, r, c, d = msa.shape
        q, k, v = self.to_qkv(msa).view(b, r, c, 3, self.heads, self.head_dim).unbind(dim=3)
        logits = torch.einsum("brihd,brjhd->bhij", q, k) / (r * self.head_dim) ** 0.5
        logits = logits + self.pair_bias(pair).permute(0, 3, 1, 2)
        out = torch.einsum("bhij,brjhd->brihd", logits.softmax(dim=-1), v)
        out = out.reshape(b, r, c, d) * torch.sigmoid(self.gate(msa))
        return self.out(out)


class ColumnAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, msa):
        b, r, c, d = msa.shape
        x = msa.transpose(1, 2).reshape(b * c, r, d)
        x, _ = self.attn(x, x, x)
        return x.view(b, c, r, d).transpose(1, 2)


class OuterProductMean(nn.Module):
    def __init__(self, dim, pair_dim, hidden=5):
        super().__init__()
        self.left, self.right = nn.Linear(dim, hidden), nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden * hidden, pair_dim)

    def forward(self, msa):
        left, right = self.left(msa), self.right(msa)
        outer = torch.einsum("bric,brjd->bijcd", left, right) / msa.size(1)
        return self.out(outer.flatten(3))


class MSABlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        dim, pair_dim = cfg["dim"], cfg["pair_dim"]
        self.row = RowAttention(dim, cfg["heads"], pair_dim)
        self.column = ColumnAttention(dim, cfg["heads"])
        self.norms = nn.ModuleDict({name: nn.LayerNorm(dim) for name in ("row", "column", "ff")})
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.outer = OuterProductMean(dim, pair_dim)
        self.pair_norm = nn.LayerNorm(pair_dim)

    def forward(self, msa, pair):
        msa = msa + self.row(self.norms["row"](msa), pair)
        msa = msa + self.column(self.norms["column"](msa))
        msa = msa + self.ff(self.norms["ff"](msa))
        return msa, self.pair_norm(pair + self.outer(msa))


class ContactNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg["tokens"], cfg["dim"])
        self.places = nn.Parameter(torch.zeros(1, 1, cfg["max_len"], cfg["dim"]))
        self.relative = nn.Embedding(2 * cfg["max_len"] - 1, cfg["pair_dim"])
        self.max_len = cfg["max_len"]
        self.blocks = nn.ModuleList([MSABlock(cfg) for _ in range(cfg["layers"])])
        self.contact = nn.Linear(cfg["pair_dim"], 2)
        self.confidence = nn.GRU(cfg["dim"], 14, bidirectional=True, batch_first=True)
        self.score = nn.Linear(28, 1)

    def forward(self, msa):
        b, r, c = msa.shape
        x = self.embed(msa) + self.places[:, :, :c]
        steps = torch.arange(c)
        pair = self.relative(steps[:, None] - steps[None, :] + self.max_len - 1)
        pair = pair.unsqueeze(0).expand(b, -1, -1, -1)
        for block in self.blocks:
            x, pair = block(x, pair)
        pair = (pair + pair.transpose(1, 2)) / 2
        states, _ = self.confidence(x[:, 0])
        return self.contact(pair).permute(0, 3, 1, 2), self.score(states).squeeze(-1)


def objective(net, msa, contacts, quality):
    logits, score = net(msa)
    return nn.functional.cross_entropy(logits, contacts) + nn.functional.mse_loss(score, quality)


if __name__ == "__main__":
    net = ContactNet(settings)
    msa = torch.randint(0, 25, (2, 8, 21))
    value = objective(net, msa, torch.randint(0, 2, (2, 21, 21)), torch.rand(2, 21))
    value.backward()
