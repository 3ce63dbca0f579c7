"""Dates in words to ISO dates: LSTMs, Luong attention, padding masks, teacher forcing."""

import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, SOS = 0, 1


class Encoder(nn.Module):
    def __init__(self, vocab, emb_dim, hid_dim, layers=2):
        super().__init__()
        self.layers, self.hid_dim = layers, hid_dim
        self.emb = nn.Embedding(vocab, emb_dim, padding_idx=PAD)
        self.rnn = nn.LSTM(emb_dim, hid_dim, layers, bidirectional=True, batch_first=True, dropout=0.1)
        self.fc_h = nn.Linear(2 * hid_dim, hid_dim)
        self.fc_c = nn.Linear(2 * hid_dim, hid_dim)

    def _bridge(self, state, fc):
        # (layers * 2, B, H) -> (layers, B, H)
        state = state.view(self.layers, 2, state.size(1), self.hid_dim)
        both = torch.cat([state[:, 0], state[:, 1]], dim=-1)
        return torch.tanh(fc(both))

    def forward(self, src, lengths):
        x = self.emb(src)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, (h, c) = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        return out, (self._bridge(h, self.fc_h), self._bridge(c, self.fc_c))


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W = nn.Linear(enc_dim, dec_dim, bias=False)

    def forward(self, query, memory, mask):
        # query (B, H), memory (B, S, 2H), mask (B, S)
        scores = torch.bmm(self.W(memory), query.unsqueeze(2)).squeeze(2)
        scores = scores.masked_fill(mask, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return context, weights


class Decoder(nn.Module):
    def __init__(self, vocab, emb_dim, hid_dim, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb_dim)
        self.attention = LuongAttention(2 * hid_dim, hid_dim)
        self.rnn = nn.LSTM(emb_dim + 2 * hid_dim, hid_dim, layers, batch_first=True)
        self.combine = nn.Linear(3 * hid_dim, hid_dim)
        self.out = nn.Linear(hid_dim, vocab)

    def step(self, token, state, memory, mask, context):
        x = torch.cat([self.emb(token), context], dim=1).unsqueeze(1)
        output, state = self.rnn(x, state)
        output = output.squeeze(1)
        context, weights = self.attention(output, memory, mask)
        output = torch.tanh(self.combine(torch.cat([output, context], dim=1)))
        return self.out(output), state, context, weights


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab=60, tgt_vocab=14, emb_dim=32, hid_dim=48):
        super().__init__()
        self.encoder = Encoder(src_vocab, emb_dim, hid_dim)
        self.decoder = Decoder(tgt_vocab, emb_dim, hid_dim)
        self.tgt_vocab = tgt_vocab

    def forward(self, src, lengths, tgt, teacher_forcing=0.5):
        memory, state = self.encoder(src, lengths)
        mask = src == PAD
        b, steps = tgt.shape
        token = torch.full((b,), SOS)
        context = memory.new_zeros(b, memory.size(2))
        logits = []
        for t in range(steps):
            out, state, context, _ = self.decoder.step(token, state, memory, mask, context)
            logits.append(out)
            token = tgt[:, t] if random.random() < teacher_forcing else out.argmax(dim=1)
        return torch.stack(logits, dim=1)


def collate(pairs):
    lengths = torch.tensor([len(src) for src, _ in pairs])
    src = torch.zeros(len(pairs), int(lengths.max()), dtype=torch.long)
    for row, (ids, _) in enumerate(pairs):
        src[row, : len(ids)] = torch.tensor(ids)
    tgt = torch.tensor([ids for _, ids in pairs])
    return src, lengths, tgt


def main():
    random.seed(1)
    pairs = [
        ([random.randrange(2, 60) for _ in range(random.randint(8, 20))], [random.randrange(2, 14) for _ in range(10)])
        for _ in range(4)
    ]
    model = Seq2Seq()
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        src, lengths, tgt = collate(pairs)
        logits = model(src, lengths, tgt)
        loss = criterion(logits.transpose(1, 2), tgt)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
