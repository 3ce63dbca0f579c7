import torch
from torch import nn


class BasketEncoder(nn.Module):
    def __init__(self, products, dim):
        super().__init__()
        self.emb = nn.Embedding(products, dim)
        self.pos = nn.Parameter(torch.zeros(8, dim))

    def forward(self, basket):
        return self.emb(basket) + self.pos[: basket.shape[1]]


class Popularity(nn.Module):
    """How much each product in a basket is asked for by the other ones."""

    def __init__(self, dim):
        super().__init__()
        self.bilinear = nn.Parameter(torch.randn(dim, dim) / dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, h):
        w = torch.sigmoid(h @ self.bilinear @ h.transpose(1, 2))
        received = torch.einsum("bij,bjd->bjd", w, h)
        return torch.relu(self.out(received / h.shape[1]))


class BundleRecommender(nn.Module):
    def __init__(self, products=30, dim=12, layers=2):
        super().__init__()
        self.encoder = BasketEncoder(products, dim)
        self.layers = nn.ModuleList(Popularity(dim) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)

    def forward(self, basket):
        h = self.encoder(basket)
        for layer in self.layers:
            h = self.norm(h + layer(h))
        user = h.mean(1)
        return user @ self.encoder.emb.weight.t()


BundleRecommender()(torch.randint(0, 30, (3, 5)))
