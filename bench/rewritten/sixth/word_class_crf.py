"""Word classes with a linear-chain CRF on top of a BiLSTM."""
import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.begin = nn.Parameter(torch.zeros(tags))

    def log_partition(self, emissions):
        steps = emissions.unbind(dim=1)
        alpha = self.begin + steps[0]
        for emission in steps[1:]:
            joint = alpha[:, :, None] + self.trans
            weight = joint.exp().sum(dim=1)
            alpha = weight.log() + emission
        return torch.log(torch.sum(torch.exp(alpha), dim=-1))

    def path_score(self, emissions, tags):
        own = emissions.gather(2, tags[:, :, None])[:, :, 0].sum(dim=1)
        steps = self.trans[tags[:, :-1], tags[:, 1:]].sum(dim=1)
        return own + steps + self.begin[tags[:, 0]]

    def forward(self, emissions, tags):
        return (self.log_partition(emissions) - self.path_score(emissions, tags)).mean()


class Tagger(nn.Module):
    def __init__(self, words, tags, width=24):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.emission = nn.Linear(2 * width, tags)
        self.crf = CRF(tags)

    def forward(self, words, tags):
        states, _ = self.lstm(self.embedding(words))
        return self.crf(self.emission(states), tags)


def main():
    torch.manual_seed(31)
    words = torch.randint(0, 100, (8, 12))
    tags = words % 7
    model = Tagger(100, 7)
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(5):
        opt.zero_grad()
        nll = model(words, tags)
        nll.backward()
        opt.step()
        print("epoch", epoch, "nll", nll.item())


if __name__ == "__main__":
    main()
