"""X-ray triage: easy batches take the shallow branch, doubtful ones the deep one."""
import torch
from torch import nn


class Triage(nn.Module):
    def __init__(self, n_in=30, width=16, findings=3, certain=0.6):
        super().__init__()
        self.certain = certain
        self.embed = nn.Sequential(nn.Linear(n_in, width), nn.Tanh())
        self.guess = nn.Linear(width, findings)
        self.shallow = nn.Linear(width, width)
        self.deep = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.LayerNorm(width)
        )
        self.report = nn.Linear(width, findings)

    def forward(self, scan):
        h = self.embed(scan)
        confidence = self.guess(h).softmax(dim=-1).amax(dim=-1).mean()
        if confidence > self.certain:
            h = self.shallow(h)
        else:
            h = self.deep(h)
        return self.report(h)


def demo():
    torch.manual_seed(9)
    net = Triage(certain=0.42).eval()
    with torch.no_grad():
        for factor in (0.05, 1.0, 6.0):
            scans = factor * torch.randn(5, 30)
            print(factor, net(scans).sum())


if __name__ == "__main__":
    demo()
