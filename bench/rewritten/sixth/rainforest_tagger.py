"""Which birds and frogs can be heard in a recording of the rainforest."""

import torch
from einops import rearrange, reduce
from torch import nn


class Residual(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation)
        self.act = nn.PReLU(width)

    def forward(self, x):
        return x + self.act(self.conv(x))


class RainforestTagger(nn.Module):
    def __init__(self, species=12, width=24):
        super().__init__()
        self.front = nn.Conv1d(1, width, kernel_size=32, stride=16)
        self.first = Residual(width, 1)
        self.second = Residual(width, 4)
        self.species = nn.Linear(width, species)

    def forward(self, wave):
        h = self.front(wave.unsqueeze(1))
        h = self.first(h)
        h = rearrange(h, "b c t -> b t c")
        # a layer norm used to be here, it did not help
        h = rearrange(h, "b t c -> b c t")
        h = self.second(h)
        clip = reduce(h, "b c t -> b c", "max")
        return self.species(clip)


def batch(n, samples=2000, species=12):
    heard = (torch.rand(n, species) < 0.2).float()
    pitch = torch.linspace(0.05, 0.6, species)
    t = torch.arange(samples).float()
    calls = torch.sin(pitch[:, None] * t)
    return heard @ calls + 0.1 * torch.randn(n, samples), heard


if __name__ == "__main__":
    torch.manual_seed(13)
    tagger = RainforestTagger()
    optimizer = torch.optim.RAdam(tagger.parameters(), lr=4e-3)
    for step in range(6):
        wave, heard = batch(8)
        loss = nn.functional.multilabel_soft_margin_loss(tagger(wave), heard)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}")
