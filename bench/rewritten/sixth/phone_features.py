import torch
import torch.nn as nn

"""Phones from filterbanks with deltas; some bands are blanked out in training."""


def deltas(bank):
    ahead = torch.roll(bank, -1, dims=1)
    behind = torch.roll(bank, 1, dims=1)
    return (ahead - behind) / 2


def augmented(bank, generator):
    first = deltas(bank)
    stacked = torch.cat([bank, first], dim=2)
    blanked = stacked.clone()
    low = int(torch.randint(0, bank.shape[2] - 4, (1,), generator=generator))
    blanked[:, :, low : low + 4] = 0.0
    return blanked


class PhoneTagger(nn.Module):
    def __init__(self, bands, phones):
        super().__init__()
        self.rnn = nn.GRU(2 * bands, 32, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(64, phones)

    def forward(self, feats):
        states, _ = self.rnn(feats)
        return self.tag(states)


def train(epochs=4):
    torch.manual_seed(21)
    gen = torch.Generator().manual_seed(4)
    tagger = PhoneTagger(20, 11)
    opt = torch.optim.Adam(tagger.parameters(), lr=3e-3)
    bank = torch.randn(6, 30, 20)
    phones = torch.randint(0, 11, (6, 30))
    for epoch in range(epochs):
        scores = tagger(augmented(bank, gen))
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), phones.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    train()
