"""House prices with a few wrong entries: residuals are scaled by their own spread, large ones count less."""

import torch
from torch import nn


class CauchyLoss(nn.Module):
    def __init__(self, cutoff=2.98):
        super().__init__()
        self.cutoff = cutoff

    def forward(self, predicted, price):
        residual = predicted - price
        mad = residual.abs().median().item()
        spread = 1.4826 * mad + 1e-6
        z = residual / (self.cutoff * spread)
        return torch.log1p(z.square()).mean()


def houses(n, broken=0.1):
    x = torch.randn(n, 5)
    price = x @ torch.tensor([1.0, -0.5, 0.25, 2.0, 0.0]) + 0.05 * torch.randn(n)
    wrong = torch.rand(n) < broken
    return x, torch.where(wrong, price * 10, price)


def main():
    torch.manual_seed(19)
    x, price = houses(200)
    model = nn.Linear(5, 1)
    loss_fn = CauchyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for step in range(60):
        loss = loss_fn(model(x).squeeze(-1), price)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("weights", model.weight.detach().numpy().round(2), "loss", round(loss.item(), 4))


if __name__ == "__main__":
    main()
