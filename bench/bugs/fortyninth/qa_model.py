"""BiDAF-like reader, ported from our Keras code: the layers keep their Keras names."""
import torch
import torch.nn.functional as F
from torch import nn


class CharCNN(nn.Module):
    def __init__(self, vocab, char_dim, filters, kernel=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab, char_dim, padding_idx=0)
        self.conv = nn.Conv1d(char_dim, filters, kernel, padding=kernel // 2)

    def forward(self, chars):
        batch, length, word_len = chars.shape
        x = self.embedding(chars.reshape(batch * length, word_len))
        x = F.relu(self.conv(x.transpose(1, 2)))
        return x.amax(dim=2).view(batch, length, -1)


class EncoderLayer(nn.Module):
    def __init__(self, units, num_heads, ff_dim, dropout):
        super().__init__()
        self.attention = nn.MultiheadAttention(units, num_heads, dropout=dropout, batch_first=True)
        self.norm1 = nn.LayerNorm(units)
        self.ffn = nn.Sequential(nn.Linear(units, ff_dim), nn.GELU(), nn.Linear(ff_dim, units))
        self.norm2 = nn.LayerNorm(units)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        attended, _ = self.attention(x, x, x, key_padding_mask=~mask, need_weights=False)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.ffn(x)))


class BiAttention(nn.Module):
    """context2query and query2context, with the trilinear similarity taken apart"""

    def __init__(self, units):
        super().__init__()
        self.w_context = nn.Linear(units, 1, bias=False)
        self.w_question = nn.Linear(units, 1, bias=False)
        self.w_both = nn.Parameter(torch.ones(units))

    def forward(self, c, q, c_mask, q_mask):
        similarity = torch.einsum("bcd,bqd->bcq", c * self.w_both, q)
        similarity = similarity + self.w_context(c) + self.w_question(q).transpose(1, 2)
        to_question = similarity.masked_fill(~q_mask.unsqueeze(1), -1e9).softmax(dim=-1)
        c2q = to_question @ q
        best = similarity.amax(dim=-1).masked_fill(~c_mask, -1e9).softmax(dim=-1)
        q2c = torch.einsum("bc,bcd->bd", best, c).unsqueeze(1)
        return torch.cat([c, c2q, c * c2q, c * q2c], dim=-1)


class Reader(nn.Module):
    def __init__(self, cfg, n_words, n_chars):
        super().__init__()
        units = cfg.units
        self.words = nn.Embedding(n_words, cfg.word_dim, padding_idx=0)
        self.chars = CharCNN(n_chars, cfg.char_dim, cfg.filters)
        self.project = nn.Linear(cfg.word_dim + cfg.filters, units)
        self.position = nn.Embedding(cfg.max_len, units)
        self.encoder = nn.ModuleList(
            EncoderLayer(units, cfg.num_heads, 2 * units, cfg.dropout) for _ in range(cfg.layers)
        )
        self.biattention = BiAttention(units)
        self.modeling = nn.LSTM(4 * units, units // 2, batch_first=True, bidirectional=True)
        self.start = nn.Linear(5 * units, 1)
        self.end = nn.Linear(5 * units, 1)

    def encode(self, words, chars):
        mask = words != 0
        x = torch.cat([self.words(words), self.chars(chars)], dim=-1)
        x = self.project(x) + self.position(torch.arange(words.size(1)))
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def forward(self, inputs):
        c, c_mask = self.encode(inputs["context"], inputs["context_chars"])
        q, q_mask = self.encode(inputs["question"], inputs["question_chars"])
        g = self.biattention(c, q, c_mask, q_mask)
        m, _ = self.modeling(g)
        features = torch.cat([g, m], dim=-1)
        start = self.start(features).squeeze(-1).masked_fill(~c_mask, -1e9)
        end = self.end(features).squeeze(-1).masked_fill(~c_mask, -1e9)
        return start, end
