import torch
import torch.nn as nn
import torch.nn.functional as F


class GeneTokens(nn.Module):
    def __init__(self, n_genes, dim):
        super().__init__()
        self.identity = nn.Embedding(n_genes, dim)
        self.expression = nn.Linear(1, dim)

    def forward(self, genes, counts):
        return self.identity(genes) + self.expression(torch.log1p(counts).unsqueeze(-1))


class CellAttention(nn.Module):
    def __init__(self, dim, n_head):
        super().__init__()
        self.n_head = n_head
        self.w_q = nn.Linear(dim, dim)
        self.w_k = nn.Linear(dim, dim)
        self.w_v = nn.Linear(dim, dim)
        self.w_o = nn.Linear(dim, dim)

    def heads(self, t):
        return t.unflatten(-1, (self.n_head, -1)).transpose(1, 2)

    def forward(self, x):
        q = self.heads(self.w_q(x))
        k = self.heads(self.w_k(x))
        v = self.heads(self.w_v(x))
        out = F.scaled_dot_product_attention(q, k, v)
        return self.w_o(out.transpose(1, 2).flatten(-2))


class CellBlock(nn.Module):
    def __init__(self, dim, n_head):
        super().__init__()
        self.attn = CellAttention(dim, n_head)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.n1 = nn.LayerNorm(dim)
        self.n2 = nn.LayerNorm(dim)

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class CellTypeModel(nn.Module):
    def __init__(self, n_genes=40, dim=24, n_head=3, depth=2, n_types=5):
        super().__init__()
        self.tokens = GeneTokens(n_genes, dim)
        self.blocks = nn.ModuleList(CellBlock(dim, n_head) for _ in range(depth))
        self.classify = nn.Linear(dim, n_types)

    def forward(self, genes, counts):
        x = self.tokens(genes, counts)
        for blk in self.blocks:
            x = blk(x)
        return self.classify(x.mean(1))


CellTypeModel()(torch.randint(0, 40, (2, 8)), torch.rand(2, 8) * 10)
