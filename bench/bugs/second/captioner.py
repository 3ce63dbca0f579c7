"""Seq2seq with an LSTM and Bahdanau attention: a sentence in, a shorter sentence out."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, input_dim, emb_dim, enc_hid_dim, dec_hid_dim, dropout):
        super().__init__()
        self.embedding = nn.Embedding(input_dim, emb_dim)
        self.rnn = nn.LSTM(emb_dim, enc_hid_dim, bidirectional=True, batch_first=True)
        self.fc_h = nn.Linear(enc_hid_dim * 2, dec_hid_dim)
        self.fc_c = nn.Linear(enc_hid_dim * 2, dec_hid_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, src):
        embedded = self.dropout(self.embedding(src))
        outputs, (hidden, cell) = self.rnn(embedded)
        hidden = torch.cat((hidden[-2], hidden[-1]), dim=1)
        cell = torch.cat((cell[-2], cell[-1]), dim=1)
        return outputs, torch.tanh(self.fc_h(hidden)), torch.tanh(self.fc_c(cell))


class Attention(nn.Module):
    def __init__(self, enc_hid_dim, dec_hid_dim):
        super().__init__()
        self.attn = nn.Linear((enc_hid_dim * 2) + dec_hid_dim, dec_hid_dim)
        self.v = nn.Linear(dec_hid_dim, 1, bias=False)

    def forward(self, hidden, encoder_outputs, mask):
        src_len = encoder_outputs.shape[1]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))
        attention = self.v(energy).squeeze(2)
        attention = attention.masked_fill(mask == 0, -1e10)
        return F.softmax(attention, dim=1)


class Decoder(nn.Module):
    def __init__(self, output_dim, emb_dim, enc_hid_dim, dec_hid_dim, dropout, attention):
        super().__init__()
        self.output_dim = output_dim
        self.attention = attention
        self.embedding = nn.Embedding(output_dim, emb_dim)
        self.rnn = nn.LSTMCell((enc_hid_dim * 2) + emb_dim, dec_hid_dim)
        self.fc_out = nn.Linear((enc_hid_dim * 2) + dec_hid_dim + emb_dim, output_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, token, hidden, cell, encoder_outputs, mask):
        embedded = self.dropout(self.embedding(token))
        a = self.attention(hidden, encoder_outputs, mask).unsqueeze(1)
        weighted = torch.bmm(a, encoder_outputs).squeeze(1)
        hidden, cell = self.rnn(torch.cat((embedded, weighted), dim=1), (hidden, cell))
        prediction = self.fc_out(torch.cat((hidden, weighted, embedded), dim=1))
        return prediction, hidden, cell


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab, trg_vocab, src_pad_idx=0, emb=48, hid=64):
        super().__init__()
        self.encoder = Encoder(src_vocab, emb, hid, 2 * hid, 0.3)
        self.decoder = Decoder(trg_vocab, emb, hid, 2 * hid, 0.3, Attention(hid, 2 * hid))
        self.src_pad_idx = src_pad_idx

    def forward(self, src, trg, teacher_forcing_ratio=0.5):
        batch_size, trg_len = trg.shape
        outputs = torch.zeros(batch_size, trg_len, self.decoder.output_dim, device=trg.device)
        encoder_outputs, hidden, cell = self.encoder(src)
        mask = src != self.src_pad_idx
        token = trg[:, 0]
        for t in range(1, trg_len):
            output, hidden, cell = self.decoder(token, hidden, cell, encoder_outputs, mask)
            outputs[:, t] = output
            token = trg[:, t] if random.random() < teacher_forcing_ratio else output.argmax(1)
        return outputs


if __name__ == "__main__":
    src = torch.randint(1, 300, (5, 17))
    trg = torch.randint(1, 200, (5, 9))
    model = Seq2Seq(300, 200)
    out = model(src, trg)
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    criterion(out[:, 1:].reshape(-1, 200), trg[:, 1:].reshape(-1))
