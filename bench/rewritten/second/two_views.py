import torch
import torch.nn as nn
import torch.nn.functional as F


class SentenceEncoder(nn.Module):
    def __init__(self, vocabulary_size, width=16, dropout=0.3):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary_size, width)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(width, width)

    def forward(self, token_ids):
        return torch.tanh(self.projection(self.dropout(self.embedding(token_ids))))


class ContrastiveTrainer(nn.Module):
    """A sentence should resemble itself and nobody else."""

    def __init__(self, vocabulary_size, temperature=0.1):
        super().__init__()
        self.encoder = SentenceEncoder(vocabulary_size)
        self.temperature = temperature

    def forward(self, token_ids):
        # two looks at the same sentences
        first_view = F.normalize(self.encoder(token_ids), dim=-1)
        second_view = F.normalize(self.encoder(token_ids), dim=-1)

        similarities = first_view @ second_view.T / self.temperature
        targets = torch.arange(similarities.shape[0], device=similarities.device)
        return F.cross_entropy(similarities, targets)


ContrastiveTrainer(30)(torch.randint(0, 30, (4, 6)))
