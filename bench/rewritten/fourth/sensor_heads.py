import torch
import torch.nn as nn


class Trunk(nn.Module):
    def __init__(self, n_in, width):
        super().__init__()
        self.fc1 = nn.Linear(n_in, width)
        self.fc2 = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.fc2(torch.relu(self.fc1(x))))


class TaskAdapter(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.down = nn.Linear(width, width // 2)
        self.up = nn.Linear(width // 2, out)

    def forward(self, h):
        return self.up(torch.tanh(self.down(h)))


class TactileNet(nn.Module):
    """Several read-outs of one tactile pad; which ones are asked for is up to the caller."""

    def __init__(self, taxels=16, width=24):
        super().__init__()
        self.trunk = Trunk(taxels, width)
        self.head_force = TaskAdapter(width, 3)
        self.head_slip = TaskAdapter(width, 1)

    def read_out(self, name, h):
        head = getattr(self, "head_" + name)
        return head(h)

    def forward(self, pad, tasks=("force", "slip")):
        h = self.trunk(pad.flatten(1))
        return {t: self.read_out(t, h) for t in tasks}


TactileNet()(torch.randn(3, 4, 4))
