import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class CharCNN(nn.Module):
    """A vector for each word from its letters."""

    def __init__(self, n_chars=60, dim=16, filters=30):
        super().__init__()
        self.emb = nn.Embedding(n_chars, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, filters, 3, padding=1)

    def forward(self, chars):
        B, T, L = chars.shape
        x = self.emb(chars).view(B * T, L, -1).transpose(1, 2)
        x = torch.relu(self.conv(x)).max(dim=-1).values
        return x.view(B, T, -1)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads=4):
        super().__init__()
        self.mha = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, mask):
        y, _ = self.mha(x, x, x, key_padding_mask=~mask, need_weights=False)
        return self.norm(x + y)


class Tagger(nn.Module):
    def __init__(self, vocab=800, n_tags=9, word_dim=50, hidden=40, dropout=0.3):
        super().__init__()
        self.words = nn.Embedding(vocab, word_dim, padding_idx=0)
        self.chars = CharCNN()
        self.case = nn.Embedding(4, 8)
        self.lstm = nn.LSTM(word_dim + 30 + 8, hidden, batch_first=True, bidirectional=True)
        self.attn = SelfAttention(2 * hidden)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(2 * hidden, n_tags)
        self.sent = nn.Linear(2 * hidden, 3)

    def forward(self, words, chars, case, tags=None, sentiment=None):
        mask = words != 0
        lengths = mask.sum(dim=1)
        x = torch.cat([self.words(words), self.chars(chars), self.case(case)], dim=-1)
        x = self.dropout(x)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed, (h, _) = self.lstm(packed)
        x, _ = pad_packed_sequence(packed, batch_first=True, total_length=words.size(1))
        x = self.attn(x, mask)
        logits = self.out(self.dropout(x))
        sent_logits = self.sent(torch.cat([h[0], h[1]], dim=-1))
        if tags is None:
            return logits, sent_logits
        loss = F.cross_entropy(logits.transpose(1, 2), tags, reduction="none")
        loss = (loss * mask).sum() / mask.sum()
        loss = loss + F.cross_entropy(sent_logits, sentiment)
        return loss, logits


if __name__ == "__main__":
    tagger = Tagger()
    words = torch.randint(1, 800, (5, 18))
    chars = torch.randint(0, 60, (5, 18, 11))
    case = torch.randint(0, 4, (5, 18))
    tags = torch.randint(0, 9, (5, 18))
    mood = torch.randint(0, 3, (5,))
    loss, _ = tagger(words, chars, case, tags, mood)
    loss.backward()
    print(loss.item())
