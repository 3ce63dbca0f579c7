"""Keyword spotting on mel spectrograms; broken clips have to be noticed early."""
import torch
from torch import nn


def checked(spec):
    """The spectrogram, scaled to zero mean, if it is sound."""
    assert not torch.isnan(spec).any(), "NaN in the spectrogram"
    return spec - spec.mean(dim=-1, keepdim=True)


class KeywordNet(nn.Module):
    def __init__(self, mels=24, keywords=6):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(mels, 32, 5, stride=2),
            nn.ReLU(),
            nn.Conv1d(32, 32, 3, stride=2),
            nn.ReLU(),
        )
        self.out = nn.Linear(32, keywords)

    def forward(self, spec):
        spec = checked(spec)
        h = self.conv(spec)
        return self.out(h.amax(dim=2))


def main():
    torch.manual_seed(3)
    clips = torch.randn(12, 24, 60).abs()
    words = torch.randint(0, 6, (12,))
    net = KeywordNet()
    sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(5):
        sgd.zero_grad()
        loss = criterion(net(clips), words)
        loss.backward()
        sgd.step()
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    main()
