"""Mastering chain: a gain stage, a limiter that only acts on loud material."""
import torch
import torch.nn as nn


class Limiter(nn.Module):
    def __init__(self, ceiling=0.9):
        super().__init__()
        self.ceiling = ceiling

    def forward(self, wave):
        level = wave.abs().amax()
        if level > self.ceiling:
            out = torch.tanh(wave) * self.ceiling
        else:
            out = wave
        return out


class Chain(nn.Module):
    def __init__(self, taps=9):
        super().__init__()
        self.gain_db = nn.Parameter(torch.tensor(3.0))
        self.tone = nn.Conv1d(1, 1, taps, padding=taps // 2, bias=False)
        self.limit = Limiter()

    def forward(self, wave):
        louder = wave * 10 ** (self.gain_db / 20)
        return self.limit(louder + 0.1 * self.tone(louder))


if __name__ == "__main__":
    torch.manual_seed(8)
    chain = Chain()
    quiet = 0.05 * torch.randn(2, 1, 400)
    loud = 1.5 * torch.randn(2, 1, 400)
    for name, wave in (("quiet", quiet), ("loud", loud)):
        y = chain(wave)
        y.pow(2).mean().backward()
        print(name, y.abs().max(), chain.gain_db.grad)
