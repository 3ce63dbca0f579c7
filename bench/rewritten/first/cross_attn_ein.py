import math
import torch
from torch import Tensor, nn, einsum


class CrossAttention(nn.Module):
    def __init__(self, dim: int, ctx_dim: int, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(ctx_dim, dim, bias=False)
        self.to_v = nn.Linear(ctx_dim, dim, bias=False)
        self.out = nn.Linear(dim, dim)
        self.alpha = nn.Parameter(torch.zeros(heads, 1, 1))

    def split(self, t: Tensor) -> Tensor:
        return t.view(t.shape[0], t.shape[1], self.heads, -1)

    def forward(self, x: Tensor, ctx: Tensor) -> Tensor:
        q, k, v = self.split(self.to_q(x)), self.split(self.to_k(ctx)), self.split(self.to_v(ctx))
        sim = einsum('n q h c, n k h c -> n h q k', q, k)
        sim = sim / math.sqrt(q.shape[-1])

        # talkative heads get a sharper map
        attn = torch.softmax(sim * self.alpha.exp(), dim=-1)
        y = attn @ v.transpose(1, 2)
        return self.out(y.transpose(1, 2).flatten(2))


CrossAttention(32, 24)(torch.randn(2, 6, 32), torch.randn(2, 5, 24))
