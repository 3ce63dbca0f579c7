import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F


class WaveEncoder(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Conv1d(1, dim, 10, stride=5),
            nn.Conv1d(dim, dim, 4, stride=2),
            nn.Conv1d(dim, dim, 4, stride=2),
        ])

    def forward(self, wav: Tensor) -> Tensor:
        x = wav.unsqueeze(1)
        for conv in self.layers:
            x = F.gelu(conv(x))
        return x.transpose(1, 2)


class UnitPredictor(nn.Module):
    """Cosine similarity between frames and the unit codebook."""

    def __init__(self, dim: int, code_dim: int, n_units: int, tau: float = 0.1) -> None:
        super().__init__()
        self.proj = nn.Linear(dim, code_dim)
        self.codebook = nn.Parameter(torch.randn(n_units, code_dim))
        self.tau = tau

    def forward(self, frames: Tensor) -> Tensor:
        z = F.normalize(self.proj(frames), dim=-1)
        codes = F.normalize(self.codebook, dim=-1)

        logits = torch.einsum('btc,kc->btk', z, codes)
        return logits / self.tau


class UnitModel(nn.Module):
    def __init__(self, dim: int = 16, code_dim: int = 8, n_units: int = 12) -> None:
        super().__init__()
        self.encoder = WaveEncoder(dim)
        self.context = nn.GRU(dim, dim, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.predictor = UnitPredictor(dim, code_dim, n_units)

    def forward(self, wav: Tensor, units: Tensor) -> tuple[Tensor, Tensor]:
        frames = self.encoder(wav)
        ctx, _ = self.context(frames)
        logits = self.predictor(self.norm(ctx))
        loss = F.cross_entropy(logits.flatten(0, 1), units.flatten())
        return logits, loss


UnitModel()(torch.randn(2, 400), torch.randint(0, 12, (2, 18)))
