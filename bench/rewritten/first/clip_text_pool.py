import torch
import torch.nn as nn


class TextTower(nn.Module):
    def __init__(self, vocab, width, max_len=32):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.pos = nn.Embedding(max_len, width)
        self.ln = nn.LayerNorm(width)
        self.proj = nn.Linear(width, width, bias=False)

    def forward(self, ids):
        positions = torch.arange(ids.size(1), device=ids.device)
        hidden = self.ln(self.tok(ids) + self.pos(positions))

        batch, length, width = hidden.shape
        hidden = hidden.view(batch, length, width)

        # last token as the summary
        pooled = hidden[torch.arange(batch, device=ids.device), length - 1]
        return self.proj(pooled)


class TextEmbedder(nn.Module):
    def __init__(self, vocab: int = 40, width: int = 16):
        super().__init__()
        self.tower = TextTower(vocab, width)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        z = self.tower(ids)
        return torch.nn.functional.normalize(z, dim=-1)


TextEmbedder()(torch.randint(0, 40, (3, 8)))
