import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.to_qkv = nn.Linear(width, 3 * width, bias=False)
        self.softmax = nn.Softmax(dim=-1)
        self.to_out = nn.Linear(width, width)

    def _future_mask(self, length: int, like: torch.Tensor) -> torch.Tensor:
        full = torch.full((length, length), float("-inf"), device=like.device, dtype=like.dtype)
        return torch.triu(full, diagonal=1)

    def forward(self, notes: torch.Tensor) -> torch.Tensor:
        batch, length, width = notes.shape
        head = width // self.n_heads

        qkv = self.to_qkv(notes).reshape(batch, length, 3, self.n_heads, head)
        queries, keys, values = qkv.permute(2, 0, 3, 1, 4).unbind(dim=0)

        energy = torch.matmul(queries, keys.permute(0, 1, 3, 2)) / head ** 0.5
        energy = energy + self._future_mask(length, energy)
        weights = self.softmax(energy)
        mixed = torch.matmul(weights, values)

        mixed = mixed.permute(0, 2, 1, 3).flatten(start_dim=2)
        return self.to_out(mixed)


class MusicDecoder(nn.Module):
    def __init__(self, width=24, n_heads=3, depth=2):
        super().__init__()
        self.layers = nn.ModuleList([CausalAttention(width, n_heads) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])

    def forward(self, notes):
        for norm, layer in zip(self.norms, self.layers):
            notes = notes + layer(norm(notes))
        return notes


MusicDecoder()(torch.randn(2, 9, 24))
