"""Names in sentences of made-up words: characters, words, a small transformer and a CRF on top of it."""
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from tag_crf import LinearChainCRF

CONFIG = {
    "data": {"n_sentences": 48, "batch_size": 8, "word_length": 6},
    "model": {"word_dim": 24, "char_dim": 10, "char_hidden": 12, "width": 32, "heads": 4, "layers": 2},
    "optim": {"lr": 5.0e-3, "epochs": 2},
}
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
LETTERS = "abcdefghijklmnop"


class Corpus:
    def __init__(self, n_sentences, word_length, seed=0):
        self.rng, self.word_length = random.Random(seed), word_length
        self.vocab = {"<pad>": 0}
        self.items = [self.encode(*self.sentence()) for _ in range(n_sentences)]

    def word(self, name):
        first = self.rng.choice("ABCD" if name else LETTERS)
        return first + "".join(self.rng.choices(LETTERS, k=self.rng.randint(1, self.word_length - 1)))

    def sentence(self):
        words, tags = [], []
        while len(words) < self.rng.randint(4, 12):
            tag = self.rng.choice(["O", "O", "B-PER", "B-LOC"])
            for i in range(1 if tag == "O" else 2):
                words.append(self.word(tag != "O"))
                tags.append(tag if i == 0 else tag.replace("B-", "I-"))
        return words, tags

    def encode(self, words, tags):
        chars = torch.zeros(len(words), self.word_length, dtype=torch.long)
        for i, word in enumerate(words):
            codes = [1 + (LETTERS + "ABCD").index(c) for c in word]
            chars[i, : len(codes)] = torch.tensor(codes)
        ids = torch.tensor([self.vocab.setdefault(w.lower(), len(self.vocab)) for w in words])
        return ids, chars, torch.tensor([TAGS.index(t) for t in tags])


def collate(items):
    words, chars, tags = zip(*items)
    words = pad_sequence(words, batch_first=True)
    chars = pad_sequence(chars, batch_first=True)
    tags = pad_sequence(tags, batch_first=True, padding_value=0)
    return {"words": words, "chars": chars, "tags": tags, "mask": words != 0}


class PreNormLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.before_att = nn.LayerNorm(width)
        self.att = nn.MultiheadAttention(width, heads, dropout=0.1, batch_first=True)
        self.before_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x, pad):
        h = self.before_att(x)
        h, _ = self.att(h, h, h, key_padding_mask=pad)
        x = x + h
        return x + self.mlp(self.before_mlp(x))


class NameTagger(nn.Module):
    def __init__(self, n_words, word_dim, char_dim, char_hidden, width, heads, layers):
        super().__init__()
        self.words = nn.Embedding(n_words, word_dim, padding_idx=0)
        self.letters = nn.Embedding(len(LETTERS) + 5, char_dim, padding_idx=0)
        self.spelling = nn.GRU(char_dim, char_hidden, batch_first=True, bidirectional=True)
        self.join = nn.Linear(word_dim + 2 * char_hidden, width)
        self.layers = nn.ModuleList(PreNormLayer(width, heads) for _ in range(layers))
        self.final_norm = nn.LayerNorm(width)
        self.emit = nn.Linear(width, len(TAGS))
        self.crf = LinearChainCRF(len(TAGS))

    def emissions(self, batch):
        B, T, L = batch["chars"].shape
        _, last = self.spelling(self.letters(batch["chars"].view(B * T, L)))
        spelled = last.transpose(0, 1).reshape(B, T, -1)
        x = self.join(torch.cat([self.words(batch["words"]), spelled], dim=-1))
        pad = ~batch["mask"]
        for layer in self.layers:
            x = layer(x, pad)
        return self.emit(self.final_norm(x))

    def forward(self, batch):
        scores = self.emissions(batch)
        if self.training:
            return {"loss": self.crf(scores, batch["tags"], batch["mask"])}
        return {"tags": self.crf.viterbi(scores, batch["mask"])}


def accuracy(model, batches):
    model.eval()
    right = [(model(b)["tags"] == b["tags"])[b["mask"]] for b in batches]
    return torch.cat(right).float().mean().item()


if __name__ == "__main__":
    cfg = CONFIG
    torch.manual_seed(0)
    corpus = Corpus(cfg["data"]["n_sentences"], cfg["data"]["word_length"])
    size = cfg["data"]["batch_size"]
    batches = [collate(corpus.items[i : i + size]) for i in range(0, len(corpus.items), size)]
    model = NameTagger(len(corpus.vocab), **cfg["model"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["optim"]["lr"])
    for epoch in range(cfg["optim"]["epochs"]):
        model.train()
        for batch in batches:
            loss = model(batch)["loss"]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.2f} accuracy {accuracy(model, batches):.2f}")
