"""Sentence classification with convolutions over words (Kim 2014)."""

import torch
import torch.nn.functional as F
from torch import nn


class TextCNN(nn.Module):
    def __init__(self, vocab_size=5000, embed_dim=128, num_filters=100, sizes=(3, 4, 5), num_classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.convs = nn.ModuleList([nn.Conv2d(1, num_filters, (size, embed_dim)) for size in sizes])
        self.norm = nn.BatchNorm1d(num_filters * len(sizes))
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(num_filters * len(sizes), num_classes)

    def forward(self, tokens, labels):
        x = self.embedding(tokens).unsqueeze(1)
        features = []
        for conv in self.convs:
            maps = F.relu(conv(x)).squeeze(3)
            features.append(F.max_pool1d(maps, maps.size(2)).squeeze(2))
        x = torch.cat(features, dim=1)
        logits = self.fc(self.dropout(self.norm(x)))
        return F.cross_entropy(logits, labels)


if __name__ == "__main__":
    model = TextCNN()
    tokens = torch.randint(0, 5000, (8, 40))
    labels = torch.randint(0, 4, (8,))
    print(model(tokens, labels).item())
