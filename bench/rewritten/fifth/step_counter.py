"""Counts steps from a wrist accelerometer."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class StepCounter(nn.Module):
    def __init__(self, axes=3, ch=16):
        super().__init__()
        self.first = nn.Conv1d(axes, ch, kernel_size=7, stride=2)
        self.second = nn.Conv1d(ch, ch, 3, padding=1)
        self.act = nn.Hardswish()
        self.count = nn.Linear(ch, 1)

    def forward(self, accel):
        # keep the borders: a step may begin at the very first sample
        bordered = F.pad(accel, (3, 3))
        h = self.act(self.first(bordered))
        h = self.act(self.second(h))
        return self.count(h.sum(dim=2)).squeeze(1)


def loss_of(model, accel, steps):
    rate = model(accel)
    return F.poisson_nll_loss(0.01 * rate, steps)


if __name__ == "__main__":
    torch.manual_seed(24)
    model = StepCounter()
    accel = torch.randn(5, 3, 100)
    steps = torch.randint(0, 12, (5,)).float()
    loss = loss_of(model, accel, steps)
    loss.backward()
    print(loss.item())
