"""Small bag-of-embeddings sentiment classifier."""
import torch
import torch.nn as nn


class BagEncoder(nn.Module):
    def __init__(self, vocab_size, width):
        super().__init__()
        self.table = nn.EmbeddingBag(vocab_size, width, mode="mean")
        self.fc = nn.Linear(width, width)

    def forward(self, tokens):
        return torch.tanh(self.fc(self.table(tokens)))


class SentimentNet(nn.Module):
    """Probabilities for negative / neutral / positive."""

    def __init__(self, vocab_size: int, width: int, n_classes: int = 3):
        super().__init__()
        self.encoder = BagEncoder(vocab_size, width)
        self.classifier = nn.Linear(width, n_classes)
        self.to_probs = nn.Softmax()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        features = self.encoder(tokens)
        logits = self.classifier(features)
        return self.to_probs(logits)


SentimentNet(50, 16)(torch.randint(0, 50, (4, 9)))
