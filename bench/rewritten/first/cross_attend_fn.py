import torch
from torch import nn


def attend(query, key, value):
    """Plain dot-product attention, one head, B x T x D."""
    d = query.shape[-1]
    return torch.bmm((torch.bmm(query, key.mT) * d ** -0.5).softmax(-1), value)


class CrossAttention(nn.Module):
    def __init__(self, dim, context_dim):
        super().__init__()
        self.to_q = nn.Linear(dim, dim)
        self.to_kv = nn.Linear(context_dim, 2 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, context):
        k, v = self.to_kv(context).chunk(2, dim=-1)
        y = attend(self.to_q(x), k, v)
        return self.out(y)


class CaptionLayer(nn.Module):
    def __init__(self, dim=16, image_dim=12):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.cross = CrossAttention(dim, image_dim)

    def forward(self, words, patches):
        return words + self.cross(self.norm(words), patches)


CaptionLayer()(torch.randn(2, 5, 16), torch.randn(2, 9, 12))
