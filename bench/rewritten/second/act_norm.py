import torch
import torch.nn as nn


class ActivationNorm(nn.Module):
    """
    Scale and shift per channel, set from the first batch so that it comes out
    with zero mean and unit variance, and learned from then on.
    """

    def __init__(self, number_of_channels):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(number_of_channels))
        self.log_scale = nn.Parameter(torch.zeros(number_of_channels))
        self.register_buffer("is_initialised", torch.tensor(False))

    @torch.no_grad()
    def initialise_from(self, batch):
        self.shift.copy_(-batch.mean(dim=0))
        self.log_scale.copy_(-torch.log(batch.std(dim=0) + 1e-6))
        self.is_initialised.fill_(True)

    def forward(self, batch):
        if not self.is_initialised:
            self.initialise_from(batch)
        output = (batch + self.shift) * self.log_scale.exp()
        log_determinant = self.log_scale.sum()
        return output, log_determinant


ActivationNorm(5)(torch.randn(8, 5) * 2 + 3)
