import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Attention(nn.Module):
    """Additive attention over the states of an RNN."""

    def __init__(self, hidden_size, attn_size):
        super().__init__()
        self.proj = nn.Linear(hidden_size, attn_size)
        self.score = nn.Linear(attn_size, 1, bias=False)

    def forward(self, states, mask):
        # states: (batch, len, hidden), mask: (batch, len), True where there is a word
        e = self.score(torch.tanh(self.proj(states))).squeeze(-1)
        e = e.masked_fill(~mask, -1e9)
        weights = torch.softmax(e, dim=1)
        context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        return context, weights


class SentimentClassifier(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, num_classes, num_layers, pad_id, dropout):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, embed_size, padding_idx=pad_id)
        self.lstm = nn.LSTM(
            embed_size,
            hidden_size,
            num_layers=num_layers,
            bidirectional=True,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
        )
        self.attention = Attention(2 * hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Sequential(
            nn.Linear(2 * hidden_size, hidden_size),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_size, num_classes),
        )

    def forward(self, tokens):
        # tokens: (batch, len), padded on the right
        mask = tokens != self.pad_id
        lengths = mask.sum(dim=1).clamp(min=1)

        x = self.dropout(self.embedding(tokens))
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed, _ = self.lstm(packed)
        states, _ = pad_packed_sequence(packed, batch_first=True, total_length=tokens.size(1))

        context, weights = self.attention(states, mask)
        logits = self.classifier(self.dropout(context))
        return logits, weights
