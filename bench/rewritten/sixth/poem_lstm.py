# Character by character through a poem
import torch
import torch.nn as nn

TEXT = "the woods are lovely, dark and deep, but i have promises to keep, and miles to go before i sleep "
LETTERS = sorted(set(TEXT))


class PoemLSTM(nn.Module):
    def __init__(self, n_letters, emb=16, hidden=48):
        super().__init__()
        self.embedding = nn.Embedding(n_letters, emb)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True)
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(hidden, n_letters)
        self.hidden = hidden

    def forward(self, letters):
        out, state = self.lstm(self.embedding(letters))
        # one row per letter
        out = out.contiguous().view(-1, self.hidden)
        return self.fc(self.dropout(out)), state


def get_batch(codes, batch, length):
    starts = torch.randint(0, len(codes) - length - 1, (batch,))
    rows = torch.stack([codes[s : s + length + 1] for s in starts.tolist()])
    return rows[:, :-1], rows[:, 1:]


def main():
    torch.manual_seed(1874)
    codes = torch.tensor([LETTERS.index(c) for c in TEXT])
    model = PoemLSTM(len(LETTERS))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    for step in range(10):
        x, y = get_batch(codes, 6, 20)
        scores, _ = model(x)
        loss = criterion(scores, y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())


if __name__ == "__main__":
    main()
