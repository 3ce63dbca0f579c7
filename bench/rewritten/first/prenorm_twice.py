import torch
import torch.nn as nn


class GatedPool(nn.Module):
    """Gated attention pooling (Ilse et al.) for bags of patches."""

    def __init__(self, dim: int, attn_dim: int):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.tanh_branch = nn.Sequential(nn.Linear(dim, attn_dim), nn.Tanh())
        self.score = nn.Linear(attn_dim, 1)
        self.value = nn.Linear(dim, dim)

    def forward(self, bag: torch.Tensor) -> torch.Tensor:
        attn = self.score(self.tanh_branch(self.norm(bag)))
        attn = attn.softmax(dim=1)  # over the instances of a bag

        value = self.value(self.norm(bag))
        return (attn * value).sum(dim=1)


class SlideClassifier(nn.Module):
    def __init__(self, dim: int = 16, classes: int = 2):
        super().__init__()
        self.pool = GatedPool(dim, attn_dim=8)
        self.fc = nn.Linear(dim, classes)

    def forward(self, bag: torch.Tensor) -> torch.Tensor:
        return self.fc(self.pool(bag))


SlideClassifier()(torch.randn(2, 7, 16))
