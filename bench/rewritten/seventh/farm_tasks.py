"""One trunk for all the questions of a farm; each question has its head."""
import torch
from torch import nn


class FarmModel(nn.Module):
    def __init__(self, inputs, width=20):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(inputs, width), nn.ReLU())
        self.head_yield = nn.Linear(width, 1)
        self.head_pest = nn.Linear(width, 4)
        self.head_water = nn.Linear(width, 2)

    def forward(self, x, task):
        head = getattr(self, "head_" + task)
        return head(self.trunk(x))


LOSSES = {
    "yield": lambda out, y: (out.squeeze(-1) - y).square().mean(),
    "pest": nn.CrossEntropyLoss(),
    "water": lambda out, y: (out - y).abs().mean(),
}


def batch(task, n=16):
    y = {"yield": torch.randn(n), "pest": torch.randint(0, 4, (n,)), "water": torch.rand(n, 2)}[task]
    return torch.randn(n, 7), y


if __name__ == "__main__":
    torch.manual_seed(0)
    model = FarmModel(7)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(9):
        task = list(LOSSES)[step % 3]
        x, y = batch(task)
        loss = LOSSES[task](model(x, task), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(task, float(loss.detach()))
