import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        q = self._heads(self.query(hidden_states))
        k = self._heads(self.key(hidden_states))
        v = self._heads(self.value(hidden_states))
        context = F.scaled_dot_product_attention(q, k, v)
        return self.dense(context.transpose(1, 2).flatten(-2))


class BertLayer(nn.Module):
    def __init__(self, hidden_size=24, num_heads=3):
        super().__init__()
        self.attention = SelfAttention(hidden_size, num_heads)
        self.norm = nn.LayerNorm(hidden_size)

    def forward(self, x):
        return self.norm(x + self.attention(x))


BertLayer()(torch.randn(2, 6, 24))
