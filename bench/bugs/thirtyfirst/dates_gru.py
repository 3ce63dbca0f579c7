"""Rewrites dates: a GRU reads characters, another one with attention writes them."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, HID, EMB, PAD = 40, 128, 64, 0


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hid * 2, hid)

    def forward(self, src):
        embedded = self.embedding(src)
        outputs, hidden = self.rnn(embedded)
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self, hid):
        super().__init__()
        self.attn = nn.Linear(hid * 3, hid)
        self.v = nn.Linear(hid, 1, bias=False)

    def forward(self, hidden, outputs):
        length = outputs.shape[1]
        hidden = hidden.unsqueeze(1).repeat(1, length, 1)
        energy = torch.tanh(self.attn(torch.cat((hidden, outputs), dim=2)))
        return F.softmax(self.v(energy).squeeze(2), dim=1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.attention = Attention(hid)
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb + hid * 2, hid, batch_first=True)
        self.out = nn.Linear(hid * 3 + emb, vocab)

    def forward(self, token, hidden, outputs):
        embedded = self.embedding(token.unsqueeze(1))
        a = self.attention(hidden, outputs).unsqueeze(1)
        weighted = torch.bmm(a, outputs)
        output, hidden = self.rnn(torch.cat((embedded, weighted), dim=2), hidden.unsqueeze(0))
        prediction = self.out(torch.cat((output, weighted, embedded), dim=2).squeeze(1))
        return prediction, hidden.squeeze(0)


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, src, trg, teacher_forcing=0.5):
        batch, length = trg.shape
        logits = torch.zeros(batch, length, self.decoder.out.out_features)
        outputs, hidden = self.encoder(src)
        token = trg[:, 0]
        for t in range(1, length):
            step, hidden = self.decoder(token, hidden, outputs)
            logits[:, t] = step
            token = trg[:, t] if random.random() < teacher_forcing else step.argmax(1)
        return logits


def batch():
    return torch.randint(1, VOCAB, (16, 20)), torch.randint(1, VOCAB, (16, 11))


if __name__ == "__main__":
    model = Seq2Seq(Encoder(VOCAB, EMB, HID), Decoder(VOCAB, EMB, HID))
    optimizer = torch.optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    for _ in range(5):
        src, trg = batch()
        output = model(src, trg)
        output = output[:, 1:].reshape(-1, VOCAB)
        loss = criterion(output, trg[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
