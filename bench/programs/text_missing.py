import torch
import torch.nn as nn

with open("input.txt", "r", encoding="utf-8") as f:
    text = f.read()

chars = sorted(list(set(text)))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]
data = torch.tensor(encode(text), dtype=torch.long)
n = int(0.9 * len(data))
train_data = data[:n]
block_size, batch_size = 8, 32


def get_batch():
    ix = torch.randint(len(train_data) - block_size, (batch_size,))
    x = torch.stack([train_data[i : i + block_size] for i in ix])
    y = torch.stack([train_data[i + 1 : i + block_size + 1] for i in ix])
    return x, y


class Bigram(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.table = nn.Embedding(vocab_size, vocab_size)

    def forward(self, idx, targets=None):
        logits = self.table(idx)
        B, T, C = logits.shape
        logits = logits.view(B * T, C)
        loss = nn.functional.cross_entropy(logits, targets.view(B * T))
        return logits, loss


model = Bigram(vocab_size)
for it in range(10):
    xb, yb = get_batch()
    logits, loss = model(xb, yb)
    loss.backward()
