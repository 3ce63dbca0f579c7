"""The two towers: one for items, and one for what a session has seen."""
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from shop_sessions import ShopConfig


class ItemTower(nn.Module):
    def __init__(self, cfg: ShopConfig):
        super().__init__()
        self.register_buffer("genres", torch.randint(0, cfg.genres, (cfg.items + 1, 3)))
        self.item = nn.Embedding(cfg.items + 1, cfg.dim, padding_idx=0)
        self.genre = nn.EmbeddingBag(cfg.genres, cfg.dim, mode="mean")
        self.norm = nn.LayerNorm(cfg.dim)

    def forward(self, ids: Tensor) -> Tensor:
        kinds = self.genre(self.genres[ids.flatten()]).view(*ids.shape, -1)
        return self.norm(self.item(ids) + kinds)


class SessionTower(nn.Module):
    def __init__(self, cfg: ShopConfig):
        super().__init__()
        self.place = nn.Parameter(0.02 * torch.randn(cfg.longest, cfg.dim))
        order = dict(batch_first=True, norm_first=True)
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 2 * cfg.dim, **order)
        self.body = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.weigh = nn.Linear(cfg.dim, 1)

    def forward(self, vectors: Tensor, pad: Tensor) -> Tensor:
        x = self.body(vectors + self.place, src_key_padding_mask=pad)
        score = self.weigh(x).squeeze(-1).masked_fill(pad, -1e9)
        share = F.softmax(score, dim=1)
        return torch.einsum("bt,btd->bd", share, x)


class TwoTowers(nn.Module):
    def __init__(self, cfg: ShopConfig):
        super().__init__()
        self.items = ItemTower(cfg)
        self.sessions = SessionTower(cfg)
        self.scale = cfg.dim**-0.5

    def wish(self, past: Tensor) -> Tensor:
        return self.sessions(self.items(past), past == 0)

    def forward(self, past: Tensor, candidates: Tensor) -> Tensor:
        wish, vectors = self.wish(past), self.items(candidates)
        return torch.bmm(vectors, wish.unsqueeze(2)).squeeze(2) * self.scale

    def score_all(self, past: Tensor) -> Tensor:
        every = self.items(torch.arange(len(self.items.genres), device=past.device))
        score = self.wish(past) @ every.T * self.scale
        score[:, 0] = float("-inf")
        return score
