"""Viability of cell lines under a drug, from expression and dose."""

import torch
import torch.nn as nn
import torch.nn.functional as nnf


class DoseNet(nn.Module):
    def __init__(self, genes: int, widths: tuple[int, ...] = (48, 32, 16)):
        super().__init__()
        sizes = [genes + 1, *widths]
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))
        self.viability = nn.Linear(widths[-1], 1)

    def forward(self, expression: torch.Tensor, log_dose: torch.Tensor) -> torch.Tensor:
        z = torch.cat([expression, log_dose[:, None]], dim=1)
        for layer in self.hidden:
            z = nnf.elu(layer(z), alpha=0.5)
        return torch.sigmoid(self.viability(z)).squeeze(1)


def make_plate(wells: int, genes: int):
    expression = torch.randn(wells, genes)
    log_dose = torch.empty(wells).uniform_(-3, 2)
    sensitivity = expression[:, :4].sum(dim=1) * 0.4
    survival = torch.sigmoid(-(log_dose + sensitivity))
    return expression, log_dose, survival


def fit(steps: int = 20) -> list[float]:
    torch.manual_seed(11)
    expression, log_dose, survival = make_plate(96, 20)
    net = DoseNet(20)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    history = []
    for _ in range(steps):
        opt.zero_grad()
        loss = nnf.mse_loss(net(expression, log_dose), survival)
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


if __name__ == "__main__":
    curve = fit()
    print(f"first {curve[0]:.4f}, last {curve[-1]:.4f}")
