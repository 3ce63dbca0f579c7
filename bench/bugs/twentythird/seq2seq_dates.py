"""Dates as people write them to dates as machines do: encoder, attention of Bahdanau, a decoder step by step."""

import random

import torch
import torch.nn as nn

PAD, BOS, EOS = 0, 1, 2
SRC_VOCAB, TGT_VOCAB = 45, 16


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hidden, dec_hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hidden, bidirectional=True)
        self.fc = nn.Linear(hidden * 2, dec_hidden)

    def forward(self, src, src_len):
        # src: [src len, batch]
        embedded = self.embedding(src)
        packed = nn.utils.rnn.pack_padded_sequence(embedded, src_len, enforce_sorted=False)
        outputs, hidden = self.rnn(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, total_length=src.size(0))
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self, enc_hidden, dec_hidden, attn_dim):
        super().__init__()
        self.attn = nn.Linear(enc_hidden * 2 + dec_hidden, attn_dim)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def forward(self, hidden, encoder_outputs, mask):
        src_len = encoder_outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        encoder_outputs = encoder_outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))
        scores = self.v(energy).squeeze(2)
        return scores.masked_fill(~mask, -1e10).softmax(dim=1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, enc_hidden, dec_hidden, attention):
        super().__init__()
        self.attention = attention
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(enc_hidden * 2 + emb, dec_hidden)
        self.out = nn.Linear(enc_hidden * 2 + dec_hidden + emb, vocab)

    def forward(self, token, hidden, encoder_outputs, mask):
        embedded = self.embedding(token.unsqueeze(0))
        a = self.attention(hidden, encoder_outputs, mask)
        weighted = torch.bmm(a.unsqueeze(1), encoder_outputs.permute(1, 0, 2)).permute(1, 0, 2)
        output, hidden = self.rnn(torch.cat((embedded, weighted), dim=2), hidden.unsqueeze(0))
        output, weighted, embedded = output.squeeze(0), weighted.squeeze(0), embedded.squeeze(0)
        prediction = self.out(torch.cat((output, weighted, embedded), dim=1))
        return prediction, hidden.squeeze(0), a


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, src, src_len, tgt, teacher=0.5):
        steps, batch = tgt.shape
        outputs = torch.zeros(steps - 1, batch, TGT_VOCAB)
        encoder_outputs, hidden = self.encoder(src, src_len)
        mask = (src != PAD).t()
        token = tgt[0]
        for t in range(1, steps):
            prediction, hidden, _ = self.decoder(token, hidden, encoder_outputs, mask)
            outputs[t - 1] = prediction
            token = tgt[t] if random.random() < teacher else prediction.argmax(1)
        return outputs


def batches(n, batch=6):
    for _ in range(n):
        lengths = torch.randint(6, 19, (batch,))
        src = torch.full((18, batch), PAD)
        for i, length in enumerate(lengths.tolist()):
            src[:length, i] = torch.randint(3, SRC_VOCAB, (length,))
        tgt = torch.randint(3, TGT_VOCAB, (11, batch))
        tgt[0], tgt[-1] = BOS, EOS
        yield src, lengths, tgt


def build(emb=24, enc_hidden=48, dec_hidden=64):
    attention = Attention(enc_hidden, dec_hidden, attn_dim=40)
    decoder = Decoder(TGT_VOCAB, emb, enc_hidden, dec_hidden, attention)
    return Seq2Seq(Encoder(SRC_VOCAB, emb, enc_hidden, dec_hidden), decoder)


if __name__ == "__main__":
    seq2seq = build()
    optimizer = torch.optim.Adam(seq2seq.parameters())
    weight = torch.ones(TGT_VOCAB)
    weight[EOS] = 0.5
    criterion = nn.CrossEntropyLoss(ignore_index=PAD, weight=weight)
    for src, src_len, tgt in batches(3):
        output = seq2seq(src, src_len, tgt)
        loss = criterion(output.view(-1, TGT_VOCAB), tgt[1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(seq2seq.parameters(), 1.0)
        optimizer.step()
        print(loss.item())
