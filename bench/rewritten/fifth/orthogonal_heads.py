"""Two views of one embedding, kept apart by a penalty on their weights."""
import torch
from torch import nn


class TwoViews(nn.Module):
    def __init__(self, n_in=20, dim=8, classes=3):
        super().__init__()
        self.content = nn.Linear(n_in, dim, bias=False)
        self.style = nn.Linear(n_in, dim, bias=False)
        self.label = nn.Linear(dim, classes)
        self.author = nn.Linear(dim, 5)

    def forward(self, page):
        content = self.content(page)
        style = self.style(page)
        return self.label(content), self.author(style)


def apart(model):
    a = nn.functional.normalize(model.content.weight, dim=1)
    b = nn.functional.normalize(model.style.weight, dim=1)
    return (a @ b.mT).square().sum()


def optimiser(model):
    slow = [model.style.weight]
    rest = [p for n, p in model.named_parameters() if n != "style.weight"]
    return torch.optim.SGD([{"params": rest}, {"params": slow, "lr": 1e-3}], lr=1e-1)


if __name__ == "__main__":
    torch.manual_seed(34)
    model = TwoViews()
    opt = optimiser(model)
    ce = nn.CrossEntropyLoss()
    for step in range(4):
        page = torch.randn(12, 20)
        label, author = model(page)
        loss = ce(label, torch.randint(0, 3, (12,))) + ce(author, torch.randint(0, 5, (12,)))
        loss = loss + 0.1 * apart(model)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
