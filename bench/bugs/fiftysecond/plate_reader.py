"""Reads number plates, letter by letter.  Ported from Keras: pictures are channels-last,
and the model has `call`, `compile`, `fit` and `predict` as it had there."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ALPHABET = "0123456789ABCDEFGH"
START, VOCAB = len(ALPHABET), len(ALPHABET) + 1
HEIGHT, WIDTH, LETTERS = 24, 60, 5


def make_plates(count, seed=0):
    """Each letter is a block of dots of its own, a little blurred by noise."""
    glyphs = np.random.default_rng(99).integers(0, 2, (len(ALPHABET), 16, 10))
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(ALPHABET), (count, LETTERS))
    images = 0.2 * rng.standard_normal((count, HEIGHT, WIDTH, 1)).astype("float32")
    for n, row in enumerate(labels):
        top = rng.integers(0, HEIGHT - 16)
        for k, letter in enumerate(row):
            images[n, top : top + 16, 12 * k + 1 : 12 * k + 11, 0] += glyphs[letter]
    return images, labels


class Model(nn.Module):
    """As much of `keras.Model` as is used below."""

    def forward(self, *inputs):
        return self.call(*inputs)

    def compile(self, optimizer, loss):
        self.optimizer, self.loss = optimizer(self.parameters()), loss

    def train_step(self, images, labels):
        start = torch.full_like(labels[:, :1], START)
        inputs = torch.cat([start, labels[:, :-1]], dim=1)
        loss = self.loss(labels, self(images, inputs))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, images, labels, batch_size, epochs):
        self.train()
        for epoch in range(epochs):
            history = []
            for rows in torch.randperm(len(images)).split(batch_size):
                history.append(self.train_step(images[rows], labels[rows]))
            print(f"Epoch {epoch + 1}/{epochs} - loss: {np.mean(history):.4f}")


def Conv2D(channels, filters, kernel_size):
    return nn.Sequential(
        nn.Conv2d(channels, filters, kernel_size, padding=kernel_size // 2),
        nn.BatchNorm2d(filters),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


class BahdanauAttention(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.W1 = nn.Linear(units, units)
        self.W2 = nn.Linear(units, units)
        self.V = nn.Linear(units, 1)

    def forward(self, query, values):
        score = self.V(torch.tanh(self.W1(query).unsqueeze(1) + self.W2(values)))
        weights = F.softmax(score, dim=1)
        context = (weights * values).sum(dim=1)
        return context, weights


class PlateReader(Model):
    def __init__(self, units=40, embedding=16):
        super().__init__()
        self.conv = nn.Sequential(Conv2D(1, 12, 3), Conv2D(12, 20, 3))
        self.columns = nn.Linear(20 * HEIGHT // 4, units)
        self.rnn = nn.GRU(units, units // 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(units)
        self.embed = nn.Embedding(VOCAB, embedding)
        self.attend = BahdanauAttention(units)
        self.cell = nn.GRUCell(units + embedding, units)
        self.out = nn.Linear(units, len(ALPHABET))

    def encode(self, images):
        x = self.conv(images.permute(0, 3, 1, 2))
        x = x.permute(0, 3, 1, 2).flatten(2)
        x, _ = self.rnn(torch.relu(self.columns(x)))
        return self.norm(x)

    def step(self, token, state, memory):
        context, _ = self.attend(state, memory)
        x = torch.cat([context, self.embed(token)], dim=-1)
        state = self.cell(x, state)
        return self.out(state), state

    def call(self, images, inputs):
        memory = self.encode(images)
        state = memory.mean(dim=1)
        outputs = []
        for token in inputs.unbind(dim=1):
            logits, state = self.step(token, state, memory)
            outputs.append(logits)
        return torch.stack(outputs, dim=1)

    @torch.no_grad()
    def predict(self, images):
        self.eval()
        memory = self.encode(images)
        state = memory.mean(dim=1)
        token = torch.full((len(images),), START, device=images.device)
        letters = []
        for _ in range(LETTERS):
            logits, state = self.step(token, state, memory)
            token = logits.argmax(dim=-1)
            letters.append(token)
        return torch.stack(letters, dim=1)


def sparse_categorical_crossentropy(y_true, y_pred):
    log_probs = F.log_softmax(y_pred, dim=-1)
    return F.nll_loss(log_probs.transpose(1, 2), y_true)


if __name__ == "__main__":
    torch.manual_seed(0)
    images, labels = (torch.from_numpy(a) for a in make_plates(128))
    model = PlateReader()
    model.compile(lambda p: torch.optim.Adam(p, lr=3e-3), sparse_categorical_crossentropy)
    model.fit(images, labels, batch_size=32, epochs=3)
    read = model.predict(images[:3])
    for row, truth in zip(read, labels):
        print("".join(ALPHABET[i] for i in truth), "->", "".join(ALPHABET[i] for i in row))
