# NER homework: BiLSTM-CRF with char features
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence

torch.manual_seed(1)
random.seed(1)

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
VOCAB_SIZE = 60
CHAR_VOCAB = 27     # a-z and 0 for padding
MAX_CHARS = 8
EMB_DIM = 32
CHAR_DIM = 12
CHAR_FILTERS = 20
HIDDEN = 40
BATCH = 6


def make_sentence():
    n = random.randint(4, 9)
    words = torch.randint(1, VOCAB_SIZE, (n,))
    chars = torch.zeros(n, MAX_CHARS, dtype=torch.long)
    for i in range(n):
        k = random.randint(2, MAX_CHARS)
        chars[i, :k] = torch.randint(1, CHAR_VOCAB, (k,))
    tags = torch.randint(0, len(TAGS), (n,))
    return words, chars, tags


def make_batches(num):
    batches = []
    for _ in range(num):
        data = [make_sentence() for _ in range(BATCH)]
        data.sort(key=lambda s: len(s[0]), reverse=True)
        words = pad_sequence([d[0] for d in data], batch_first=True)
        chars = pad_sequence([d[1] for d in data], batch_first=True)
        tags = pad_sequence([d[2] for d in data], batch_first=True)
        lengths = torch.tensor([len(d[0]) for d in data])
        batches.append((words, chars, tags, lengths))
    return batches


class CharCNN(nn.Module):
    def __init__(self):
        super(CharCNN, self).__init__()
        self.embedding = nn.Embedding(CHAR_VOCAB, CHAR_DIM, padding_idx=0)
        self.conv = nn.Conv1d(CHAR_DIM, CHAR_FILTERS, kernel_size=3, padding=1)

    def forward(self, chars):
        batch, seq, n = chars.shape
        x = self.embedding(chars.view(batch * seq, n))
        x = x.permute(0, 2, 1)
        x = torch.relu(self.conv(x))
        x, _ = x.max(dim=2)
        return x.view(batch, seq, CHAR_FILTERS)


class CRF(nn.Module):
    def __init__(self, num_tags):
        super(CRF, self).__init__()
        self.num_tags = num_tags
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags) * 0.1)
        self.start = nn.Parameter(torch.zeros(num_tags))
        self.end = nn.Parameter(torch.zeros(num_tags))

    def score(self, emissions, tags, mask):
        batch, seq, _ = emissions.shape
        total = self.start[tags[:, 0]]
        picked = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        total = total + (picked * mask).sum(dim=1)
        moves = self.transitions[tags[:, :-1], tags[:, 1:]]
        total = total + (moves * mask[:, 1:]).sum(dim=1)
        last = mask.sum(dim=1).long() - 1
        last_tags = tags.gather(1, last.unsqueeze(1)).squeeze(1)
        return total + self.end[last_tags]

    def partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            # alpha: (batch, from, 1), transitions: (from, to), emission: (batch, 1, to)
            scores = alpha.unsqueeze(2) + self.transitions + emissions[:, t].unsqueeze(1)
            new_alpha = torch.logsumexp(scores, dim=1)
            keep = mask[:, t].unsqueeze(1).bool()
            alpha = torch.where(keep, new_alpha, alpha)
        return torch.logsumexp(alpha + self.end, dim=1)

    def forward(self, emissions, tags, mask):
        return (self.partition(emissions, mask) - self.score(emissions, tags, mask)).mean()

    def viterbi(self, emissions):
        # one sentence: (seq, tags)
        score = self.start + emissions[0]
        back = []
        for t in range(1, len(emissions)):
            best, idx = (score.unsqueeze(1) + self.transitions).max(dim=0)
            score = best + emissions[t]
            back.append(idx)
        tag = (score + self.end).argmax()
        path = [tag]
        for idx in reversed(back):
            tag = idx[tag]
            path.append(tag)
        return torch.stack(path[::-1])


class Tagger(nn.Module):
    def __init__(self):
        super(Tagger, self).__init__()
        self.word_emb = nn.Embedding(VOCAB_SIZE, EMB_DIM, padding_idx=0)
        self.char_cnn = CharCNN()
        self.lstm = nn.LSTM(EMB_DIM + CHAR_FILTERS, HIDDEN, num_layers=1, bidirectional=True, batch_first=True)
        self.dropout = nn.Dropout(0.3)
        self.hidden2tag = nn.Linear(HIDDEN * 2, len(TAGS))
        self.crf = CRF(len(TAGS))

    def init_hidden(self, batch):
        return (torch.zeros(2, batch, HIDDEN), torch.zeros(2, batch, HIDDEN))

    def emissions(self, words, chars, lengths):
        w = self.word_emb(words)
        c = self.char_cnn(chars)
        x = self.dropout(torch.cat([w, c], dim=2))
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, _ = self.lstm(packed, self.init_hidden(words.size(0)))
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.hidden2tag(self.dropout(out))

    def loss(self, words, chars, tags, lengths):
        mask = (words != 0).float()
        return self.crf(self.emissions(words, chars, lengths), tags, mask)

    def predict(self, words, chars, lengths):
        em = self.emissions(words, chars, lengths)
        return [self.crf.viterbi(e[:n]) for e, n in zip(em, lengths)]


def accuracy(paths, tags, lengths):
    pred = torch.cat(paths)
    gold = torch.cat([t[:n] for t, n in zip(tags, lengths)])
    confusion = torch.zeros(len(TAGS), len(TAGS))
    for g, p in zip(gold, pred):
        confusion[g, p] += 1
    per_tag = confusion.diag() / confusion.sum(dim=1).clamp(min=1)
    return (pred == gold).float().mean().item(), per_tag


model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
batches = make_batches(3)

for epoch in range(1):
    for words, chars, tags, lengths in batches[:2]:
        optimizer.zero_grad()
        loss = model.loss(words, chars, tags, lengths)
        loss.backward()
        optimizer.step()
        print("loss", loss.item())

model.eval()
words, chars, tags, lengths = batches[-1]
with torch.no_grad():
    paths = model.predict(words, chars, lengths)
acc, per_tag = accuracy(paths, tags, lengths)
print("accuracy", acc)
for name, value in zip(TAGS, per_tag):
    print(name, round(value.item(), 3))
