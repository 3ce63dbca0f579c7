import torch
import torch.nn as nn


class AttentivePooling(nn.Module):
    """Turns the words of a sentence into one vector."""

    def __init__(self, word_width, number_of_labels):
        super().__init__()
        self.scorer = nn.Linear(word_width, 1)
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(word_width, number_of_labels)

    def forward(self, words):
        # one score per word; the scores of a sentence become weights
        weights = torch.softmax(self.scorer(words), dim=1)

        # a flat distribution has a high entropy
        attention_entropy = -(weights * weights.clamp_min(1e-9).log()).sum(dim=1)

        # the sentence is the weighted mean of its words
        sentence = (weights * words).sum(dim=1)
        return self.classifier(self.dropout(sentence))


AttentivePooling(word_width=12, number_of_labels=3)(torch.randn(4, 5, 12))
