"""Sentence classification with a bidirectional LSTM over packed sequences."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class AttentivePooling(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.score = nn.Linear(hidden_size, 1)

    def forward(self, outputs, mask):
        scores = self.score(outputs).squeeze(-1)
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        self.last_weights = weights.detach()
        return (outputs * weights.unsqueeze(-1)).sum(dim=1)


class LSTMClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim=128, hidden_dim=256, num_layers=2, num_classes=5, pad_idx=0, dropout=0.3):
        super().__init__()
        self.pad_idx = pad_idx
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_idx)
        self.lstm = nn.LSTM(
            embed_dim, hidden_dim, num_layers=num_layers, batch_first=True, bidirectional=True, dropout=dropout
        )
        self.pool = AttentivePooling(2 * hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(4 * hidden_dim, num_classes)

    def forward(self, tokens, lengths):
        embedded = self.dropout(self.embedding(tokens))
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_out, (h_n, c_n) = self.lstm(packed)
        outputs, out_lengths = pad_packed_sequence(packed_out, batch_first=True)

        mask = torch.arange(outputs.size(1), device=tokens.device)[None, :] < out_lengths.to(tokens.device)[:, None]
        pooled = self.pool(outputs, mask)
        hidden = torch.cat([h_n[-2], h_n[-1]], dim=-1)
        features = self.dropout(torch.cat([pooled, hidden], dim=-1))
        return self.classifier(features)


def collate(batch):
    """List of (token ids, label) to padded tokens, lengths and labels."""
    sequences, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in sequences])
    tokens = pad_sequence([torch.tensor(s) for s in sequences], batch_first=True)
    return tokens, lengths, torch.tensor(labels)


if __name__ == "__main__":
    data = [([4, 8, 15, 16, 23, 42], 0), ([7, 7, 7], 1), ([9, 1, 5, 2], 4)]
    tokens, lengths, labels = collate(data)
    model = LSTMClassifier(vocab_size=100)
    logits = model(tokens, lengths)
    print(nn.functional.cross_entropy(logits, labels).item())
