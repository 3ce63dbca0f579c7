# Homework 4: sentiment of short reviews with a BiLSTM
# (no real data, the reviews are made from word lists)
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import Dataset, DataLoader

random.seed(3)
torch.manual_seed(3)

PAD, UNK = 0, 1
GOOD = ["great", "lovely", "funny", "brilliant", "touching", "fresh"]
BAD = ["boring", "awful", "weak", "silly", "slow", "ugly"]
MIXED = ["okay", "average", "fine", "watchable"]
FILL = ["the", "movie", "was", "a", "plot", "and", "actor", "scene", "really", "quite", "with", "music"]
CLASSES = ["negative", "neutral", "positive"]

batch_size = 12
max_words = 18
emb_dim = 24
hidden_dim = 32
num_layers = 2
epochs = 1


def make_review():
    label = random.randrange(3)
    words = [BAD, MIXED, GOOD][label]
    n = random.randint(4, max_words)
    text = [random.choice(FILL) for _ in range(n)]
    for _ in range(2):
        text[random.randrange(n)] = random.choice(words)
    return text, label


class Vocab:
    def __init__(self, texts):
        words = sorted({w for t in texts for w in t})
        self.index = {w: i + 2 for i, w in enumerate(words)}

    def __len__(self):
        return len(self.index) + 2

    def encode(self, text):
        return [self.index.get(w, UNK) for w in text]


class Reviews(Dataset):
    def __init__(self, reviews, vocab):
        self.items = [(torch.tensor(vocab.encode(t)), y) for t, y in reviews]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    texts, labels = zip(*batch)
    lengths = torch.tensor([len(t) for t in texts])
    ids = pad_sequence(texts, batch_first=True, padding_value=PAD)
    return ids, lengths, torch.tensor(labels)


class Attention(nn.Module):
    """Weighted sum over the words, padding gets no weight"""

    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.score = nn.Linear(dim, 1, bias=False)

    def forward(self, out, mask):
        e = self.score(torch.tanh(self.proj(out))).squeeze(-1)
        e = e.masked_fill(~mask, -1e9)
        alpha = torch.softmax(e, dim=1)
        return (alpha.unsqueeze(-1) * out).sum(dim=1), alpha


class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, n_classes=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.drop = nn.Dropout(0.2)
        self.lstm = nn.LSTM(emb_dim, hidden_dim, num_layers, batch_first=True,
                            bidirectional=True, dropout=0.1)
        self.attention = Attention(2 * hidden_dim)
        self.fc1 = nn.Linear(4 * hidden_dim, hidden_dim)
        self.fc2 = nn.Linear(hidden_dim, n_classes)

    def init_state(self, n):
        h0 = torch.zeros(num_layers * 2, n, hidden_dim)
        c0 = torch.zeros(num_layers * 2, n, hidden_dim)
        return h0, c0

    def forward(self, ids, lengths):
        x = self.drop(self.embedding(ids))
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed_out, (h, c) = self.lstm(packed, self.init_state(ids.size(0)))
        out, _ = pad_packed_sequence(packed_out, batch_first=True)
        mask = torch.arange(out.size(1))[None, :] < lengths[:, None]
        summary, alpha = self.attention(out, mask)
        last = torch.cat([h[-2], h[-1]], dim=1)
        hidden = torch.relu(self.fc1(torch.cat([summary, last], dim=1)))
        return self.fc2(self.drop(hidden)), alpha


def evaluate(model, loader):
    model.eval()
    confusion = torch.zeros(3, 3)
    with torch.no_grad():
        for ids, lengths, labels in loader:
            logits, _ = model(ids, lengths)
            pred = logits.argmax(dim=1)
            for t, p in zip(labels, pred):
                confusion[t, p] += 1
    recall = confusion.diag() / confusion.sum(dim=1).clamp(min=1)
    return confusion, recall


def show_attention(model, vocab, text):
    """prints the words that matter most"""
    ids = torch.tensor(vocab.encode(text)).unsqueeze(0)
    with torch.no_grad():
        logits, alpha = model(ids, torch.tensor([len(text)]))
    best = alpha[0].topk(3).indices
    print(CLASSES[logits[0].argmax().item()], [text[i] for i in best.tolist()])


reviews = [make_review() for _ in range(60)]
train_reviews, test_reviews = reviews[:44], reviews[44:]
vocab = Vocab([t for t, _ in train_reviews])
train_loader = DataLoader(Reviews(train_reviews, vocab), batch_size=batch_size, shuffle=True, collate_fn=collate)
test_loader = DataLoader(Reviews(test_reviews, vocab), batch_size=batch_size, collate_fn=collate)

model = SentimentLSTM(len(vocab))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
class_weights = torch.tensor([1.0, 1.5, 1.0])
criterion = nn.CrossEntropyLoss(weight=class_weights)

for epoch in range(epochs):
    model.train()
    total = 0.0
    for step, (ids, lengths, labels) in enumerate(train_loader):
        optimizer.zero_grad()
        logits, _ = model(ids, lengths)
        loss = criterion(logits, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
        if step == 1:
            break
    confusion, recall = evaluate(model, test_loader)
    print("epoch", epoch, "loss", round(total / 2, 3), "recall", recall.tolist())

show_attention(model, vocab, "the movie was really boring and slow".split())
