import torch
import torch.nn as nn


class PositionAwareEmbedding(nn.Module):
    """The sum of what a token is and where it stands."""

    def __init__(self, vocabulary_size, maximum_length, width):
        super().__init__()
        self.token_table = nn.Embedding(vocabulary_size, width)
        self.position_table = nn.Embedding(maximum_length, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, token_ids):
        length = token_ids.shape[1]
        # 0, 1, 2, ... up to the end of the sentence
        positions = torch.arange(length)
        return self.norm(self.token_table(token_ids) + self.position_table(positions))


class SentimentModel(nn.Module):
    def __init__(self, vocabulary_size=50, width=16):
        super().__init__()
        self.embedding = PositionAwareEmbedding(vocabulary_size, 32, width)
        self.layer = nn.TransformerEncoderLayer(width, nhead=2, dim_feedforward=32, batch_first=True)
        self.sentiment = nn.Linear(width, 1)

    def forward(self, token_ids):
        words = self.layer(self.embedding(token_ids))
        return self.sentiment(words.mean(dim=1)).squeeze(-1)


SentimentModel()(torch.randint(0, 50, (3, 9)))
