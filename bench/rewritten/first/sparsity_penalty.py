import torch
from torch import nn, Tensor


class SparseCoder(nn.Module):
    """Overcomplete ReLU code; the penalty is on the mean size of the units that fire."""

    def __init__(self, n_in: int, n_code: int, l1: float = 1e-3):
        super().__init__()
        self.enc = nn.Linear(n_in, n_code)
        self.dec = nn.Linear(n_code, n_in, bias=False)
        self.l1 = l1

    def penalty(self, code: Tensor) -> Tensor:
        active = code > 0
        n_active = len(torch.nonzero(active))

        # + 1: a dead code must not divide by zero
        return self.l1 * code.abs().sum() / (n_active + 1)

    def forward(self, x: Tensor):
        code = self.enc(x).relu()
        rec = self.dec(code)
        loss = (rec - x).pow(2).mean() + self.penalty(code)
        return loss, code


SparseCoder(8, 24)(torch.randn(5, 8))
