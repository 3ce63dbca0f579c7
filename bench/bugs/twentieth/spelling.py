"""Corrects spelling: letters in, letters out, with attention and a beam."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS = 0, 1, 2
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCAB = len(LETTERS) + 3
WORDS = ["attention", "beautiful", "calendar", "definitely", "embarrass", "friend", "grammar", "harass"]


def encode(word):
    return [LETTERS.index(c) + 3 for c in word]


class Misspelt(Dataset):
    def __init__(self, words=WORDS):
        self.words = words

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        word = self.words[i]
        k = random.randrange(len(word) - 1)
        wrong = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
        return torch.tensor(encode(wrong)), torch.tensor([BOS] + encode(word) + [EOS])


def collate(batch):
    source, target = zip(*batch)
    lengths = torch.tensor([len(s) for s in source])
    return pad_sequence(source, batch_first=True), lengths, pad_sequence(target, batch_first=True)


class Encoder(nn.Module):
    def __init__(self, vocab, embedding, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, embedding, padding_idx=PAD)
        self.gru = nn.GRU(embedding, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)

    def forward(self, source, lengths):
        packed = pack_padded_sequence(self.embed(source), lengths, batch_first=True, enforce_sorted=False)
        outputs, state = self.gru(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([state[0], state[1]], dim=1)))
        return outputs, state


class Attention(nn.Module):
    """Luong's general score."""

    def __init__(self, hidden, memory):
        super().__init__()
        self.project = nn.Linear(hidden, memory, bias=False)
        self.combine = nn.Linear(hidden + memory, hidden)

    def forward(self, query, memory, mask):
        scores = torch.bmm(memory, self.project(query).unsqueeze(2)).squeeze(2)
        scores = scores.masked_fill(~mask, -1e9)
        weights = F.softmax(scores, dim=1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return torch.tanh(self.combine(torch.cat([query, context], dim=1))), weights


class Decoder(nn.Module):
    def __init__(self, vocab, embedding, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, embedding, padding_idx=PAD)
        self.cell = nn.GRUCell(embedding + hidden, hidden)
        self.attention = Attention(hidden, 2 * hidden)
        self.out = nn.Linear(hidden, vocab)

    def step(self, token, state, feed, memory, mask):
        x = torch.cat([self.embed(token), feed], dim=1)
        state = self.cell(x, state)
        feed, weights = self.attention(state, memory, mask)
        return self.out(feed), state, feed, weights


class Speller(nn.Module):
    def __init__(self, vocab=VOCAB, embedding=32, hidden=64):
        super().__init__()
        self.hidden = hidden
        self.encoder = Encoder(vocab, embedding, hidden)
        self.decoder = Decoder(vocab, embedding, hidden)

    def forward(self, source, lengths, target):
        memory, state = self.encoder(source, lengths)
        mask = source != PAD
        feed = torch.zeros_like(state)
        logits = []
        for t in range(target.size(1) - 1):
            out, state, feed, _ = self.decoder.step(target[:, t], state, feed, memory, mask)
            logits.append(out)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def beam(self, source, width=4, max_len=12):
        """The best spelling of one word: source is [1, S]."""
        lengths = torch.tensor([source.size(1)])
        memory, state = self.encoder(source, lengths)
        mask = (source != PAD).expand(width, -1)
        memory = memory.expand(width, -1, -1)
        state = state.expand(width, -1)
        feed = torch.zeros(width, self.hidden)
        tokens = torch.full((width, 1), BOS)
        scores = torch.tensor([0.0] + [-1e9] * (width - 1))
        for _ in range(max_len):
            out, state, feed, _ = self.decoder.step(tokens[:, -1], state, feed, memory, mask)
            total = scores[:, None] + F.log_softmax(out, dim=-1)
            scores, flat = total.view(-1).topk(width)
            parent = torch.div(flat, out.size(1), rounding_mode="floor")
            letter = flat % out.size(1)
            tokens = torch.cat([tokens[parent], letter[:, None]], dim=1)
            state, feed = state[parent], feed[parent]
            if (tokens[0] == EOS).any():
                break
        return tokens[0]


def run_epoch(model, loader, optimizer):
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    model.train()
    total = 0.0
    for source, lengths, target in loader:
        logits = model(source, lengths, target)
        loss = criterion(logits.reshape(-1, VOCAB), target[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def accuracy(model, loader):
    model.eval()
    right = count = 0
    with torch.no_grad():
        for source, lengths, target in loader:
            predicted = model(source, lengths, target).argmax(dim=-1)
            wanted = target[:, 1:]
            keep = wanted != PAD
            right += (predicted[keep] == wanted[keep]).sum().item()
            count += keep.sum().item()
    return right / count


if __name__ == "__main__":
    torch.manual_seed(1)
    loader = DataLoader(Misspelt(), batch_size=4, shuffle=True, collate_fn=collate)
    model = Speller()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(2):
        print(run_epoch(model, loader, optimizer), accuracy(model, loader))
    best = model.beam(torch.tensor([encode("freind")]))
    print("".join(LETTERS[i - 3] for i in best.tolist() if i > 2))
