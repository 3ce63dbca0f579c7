# Assignment 3: translate dates written by humans ("3 march 1998") into ISO dates (1998-03-03)
# seq2seq with GRU + Bahdanau attention
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

random.seed(1)
torch.manual_seed(1)

MONTHS = ["january", "february", "march", "april", "may", "june", "july",
          "august", "september", "october", "november", "december"]

EMB = 24
HID = 32
ATT = 20
BATCH = 6
STEPS = 2

PAD, SOS, EOS = 0, 1, 2


class Vocab:
    def __init__(self, chars):
        self.itos = ["<pad>", "<sos>", "<eos>"] + sorted(chars)
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return torch.tensor([self.stoi[c] for c in text] + [EOS])

    def decode(self, ids):
        out = ""
        for i in ids:
            if i == EOS:
                break
            out += self.itos[i] if i > EOS else ""
        return out


def make_date():
    y, m, d = random.randint(1950, 2049), random.randint(1, 12), random.randint(1, 28)
    style = random.choice(["{d} {name} {y}", "{name} {d}, {y}", "{d}/{m}/{y}"])
    human = style.format(d=d, m=m, y=y, name=MONTHS[m - 1])
    return human, f"{y}-{m:02d}-{d:02d}"


pairs = [make_date() for _ in range(60)]
src_vocab = Vocab(set("".join(MONTHS) + "0123456789 ,/"))
trg_vocab = Vocab(set("0123456789-"))


def get_batch(n):
    batch = random.sample(pairs, n)
    batch.sort(key=lambda p: len(p[0]), reverse=True)
    src = [src_vocab.encode(h) for h, _ in batch]
    trg = [torch.cat([torch.tensor([SOS]), trg_vocab.encode(t)]) for _, t in batch]
    lengths = torch.tensor([len(s) for s in src])
    src = pad_sequence(src, batch_first=True, padding_value=PAD)
    trg = pad_sequence(trg, batch_first=True, padding_value=PAD)
    return src, lengths, trg


class Encoder(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, EMB, padding_idx=PAD)
        self.gru = nn.GRU(EMB, HID, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * HID, HID)

    def forward(self, src, lengths):
        x = self.emb(src)
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed_out, h = self.gru(packed)
        out, _ = pad_packed_sequence(packed_out, batch_first=True)   # (batch, len, 2*hid)
        h = torch.cat([h[0], h[1]], dim=1)                           # (batch, 2*hid)
        h = torch.tanh(self.bridge(h))
        return out, h


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Linear(HID, ATT)
        self.U = nn.Linear(2 * HID, ATT)
        self.v = nn.Linear(ATT, 1)

    def forward(self, h, enc_out, mask):
        # h: (batch, hid), enc_out: (batch, len, 2*hid)
        energy = torch.tanh(self.W(h).unsqueeze(1) + self.U(enc_out))
        scores = self.v(energy).squeeze(2)
        scores = scores.masked_fill(~mask, -1e9)
        weights = F.softmax(scores, dim=1)
        context = torch.bmm(weights.unsqueeze(1), enc_out)
        return context, weights


class Decoder(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, EMB)
        self.attn = Attention()
        self.gru = nn.GRU(EMB + 2 * HID, HID, batch_first=True)
        self.out = nn.Sequential(nn.Linear(HID + 2 * HID, 48), nn.ReLU(), nn.Linear(48, vocab_size))

    def forward(self, token, h, enc_out, mask):
        # token: (batch,)
        e = self.emb(token).unsqueeze(1)
        context, weights = self.attn(h, enc_out, mask)
        y, h = self.gru(torch.cat([e, context], dim=2), h.unsqueeze(0))
        h = h.squeeze(0)
        logits = self.out(torch.cat([h, context.squeeze(1)], dim=1))
        return logits, h, weights


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder(len(src_vocab))
        self.decoder = Decoder(len(trg_vocab))

    def forward(self, src, lengths, trg, teacher_forcing=0.5):
        enc_out, h = self.encoder(src, lengths)
        mask = src != PAD
        token = trg[:, 0]
        outputs = []
        for t in range(1, trg.size(1)):
            logits, h, _ = self.decoder(token, h, enc_out, mask)
            outputs.append(logits)
            if random.random() < teacher_forcing:
                token = trg[:, t]
            else:
                token = logits.argmax(dim=1)
        return torch.stack(outputs, dim=1)

    def translate(self, text, max_len=11):
        src = src_vocab.encode(text).unsqueeze(0)
        enc_out, h = self.encoder(src, torch.tensor([src.size(1)]))
        mask = src != PAD
        token = torch.tensor([SOS])
        result, maps = [], []
        for _ in range(max_len):
            logits, h, w = self.decoder(token, h, enc_out, mask)
            token = logits.argmax(dim=1)
            result.append(token.item())
            maps.append(w)
        return trg_vocab.decode(result), torch.cat(maps, dim=0)


model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)

for step in range(STEPS):
    src, lengths, trg = get_batch(BATCH)
    logits = model(src, lengths, trg)
    gold = trg[:, 1:]
    loss = criterion(logits.transpose(1, 2), gold)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()

    real = gold != PAD
    hits = (logits.argmax(-1) == gold)[real]
    acc = hits.float().mean()
    print(f"step {step} loss {loss.item():.3f} char acc {acc.item():.3f}")

model.eval()
with torch.no_grad():
    text, attention = model.translate("3 march 1998")
    print("3 march 1998 ->", text, tuple(attention.shape))
    # where does each output char look at
    positions = torch.arange(attention.size(1)).float()
    print("mean position", (attention @ positions).tolist())
