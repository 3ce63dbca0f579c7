"""Named entities: characters by a convolution, words by a BiLSTM, a masked loss and a span pooler."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD = 0


class CharEncoder(nn.Module):
    def __init__(self, n_chars, dim=16, out=24, kernel=3):
        super().__init__()
        self.embedding = nn.Embedding(n_chars, dim, padding_idx=PAD)
        self.conv = nn.Conv1d(dim, out, kernel, padding=kernel // 2)

    def forward(self, chars):
        b, words, length = chars.shape
        x = self.embedding(chars.view(b * words, length))
        x = self.conv(x.transpose(1, 2)).relu()
        x = x.max(dim=2).values
        return x.view(b, words, -1)


class Tagger(nn.Module):
    def __init__(self, n_words, n_chars, n_tags, word_dim=40, char_dim=24, hidden=32, layers=2):
        super().__init__()
        self.words = nn.Embedding(n_words, word_dim, padding_idx=PAD)
        self.chars = CharEncoder(n_chars, out=char_dim)
        self.lstm = nn.LSTM(word_dim + char_dim, hidden, layers, batch_first=True, bidirectional=True, dropout=0.2)
        self.norm = nn.LayerNorm(2 * hidden)
        self.emit = nn.Linear(2 * hidden, n_tags)
        self.trans = nn.Parameter(torch.zeros(n_tags, n_tags))

    def forward(self, words, chars, lengths):
        x = torch.cat([self.words(words), self.chars(chars)], dim=-1)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (h, _) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        sentence = torch.cat([h[-2], h[-1]], dim=-1)
        return self.emit(self.norm(out)), sentence

    def score(self, emissions, tags, mask):
        """Of a path, as a CRF has it."""
        total = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        steps = self.trans[tags[:, :-1], tags[:, 1:]]
        return (total * mask).sum(1) + (steps * mask[:, 1:]).sum(1)

    def normaliser(self, emissions, mask):
        alpha = emissions[:, 0]
        for t in range(1, emissions.size(1)):
            nxt = torch.logsumexp(alpha.unsqueeze(2) + self.trans + emissions[:, t].unsqueeze(1), dim=1)
            alpha = torch.where(mask[:, t].unsqueeze(1), nxt, alpha)
        return alpha.logsumexp(dim=1)


def collate(batch):
    words, chars, tags = zip(*batch)
    lengths = torch.tensor([len(w) for w in words])
    words = pad_sequence(words, batch_first=True)
    tags = pad_sequence(tags, batch_first=True)
    padded = torch.zeros(len(batch), words.size(1), chars[0].size(1), dtype=torch.long)
    for i, c in enumerate(chars):
        padded[i, : c.size(0)] = c
    return words, padded, tags, lengths


def make_data(count=12, n_words=50, n_chars=20, n_tags=5):
    g = torch.Generator().manual_seed(0)
    data = []
    for i in range(count):
        n = 4 + i % 5
        data.append(
            (
                torch.randint(1, n_words, (n,), generator=g),
                torch.randint(1, n_chars, (n, 7), generator=g),
                torch.randint(0, n_tags, (n,), generator=g),
            )
        )
    return data


def main():
    data = make_data()
    loader = torch.utils.data.DataLoader(data, batch_size=6, collate_fn=collate)
    model = Tagger(50, 20, 5)
    topic = nn.Linear(64, 3)
    optim = torch.optim.Adam([*model.parameters(), *topic.parameters()], lr=1e-3)
    for words, chars, tags, lengths in loader:
        emissions, sentence = model(words, chars, lengths)
        mask = torch.arange(words.size(1))[None, :] < lengths[:, None]
        crf = (model.normaliser(emissions, mask) - model.score(emissions, tags, mask)).mean()
        labels = lengths % 3
        loss = crf + nn.functional.cross_entropy(topic(sentence), labels)
        optim.zero_grad()
        loss.backward()
        optim.step()
        best = emissions.argmax(-1)
        right = ((best == tags) & mask).sum().item()
        print(loss.item(), right / mask.sum().item())


if __name__ == "__main__":
    main()
