import torch
import torch.nn as nn


class PoissonRegressor(nn.Module):
    """Event counts per interval; log link, two layers."""

    def __init__(self, n_feat: int, hidden: int = 16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_feat, hidden),
            nn.Softplus(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        assert (counts >= 0).all(), "counts can't be negative"

        log_rate = self.net(x).squeeze(-1)
        # Poisson NLL without the constant term
        rate = torch.exp(log_rate)
        nll = rate - counts * log_rate
        return nll.mean()


PoissonRegressor(5)(torch.randn(7, 5), torch.randint(0, 9, (7,)))
