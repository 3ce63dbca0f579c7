"""Free energy of small spin chains from a learned energy function."""
import itertools

import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self, sites):
        super().__init__()
        self.coupling = nn.Parameter(0.3 * torch.randn(sites - 1))
        self.field = nn.Parameter(0.1 * torch.randn(sites))

    def forward(self, spins):
        pair = (spins[..., 1:] * spins[..., :-1] * self.coupling).sum(-1)
        single = (spins * self.field).sum(-1)
        return -(pair + single)


def free_energy(energies, kT):
    """energies: (temperatures, states), kT: (temperatures, 1)"""
    boltzmann = torch.exp(-energies / kT)
    Z = boltzmann.sum(dim=1)
    return -kT.squeeze(1) * torch.log(Z)


def all_states(sites):
    return torch.tensor(list(itertools.product((-1.0, 1.0), repeat=sites)))


if __name__ == "__main__":
    torch.manual_seed(19)
    model = Energy(6)
    states = all_states(6)
    kT = torch.tensor([[0.5], [1.0], [2.0]])
    energies = model(states).unsqueeze(0).expand(3, -1)
    F = free_energy(energies, kT)
    F.sum().backward()
    print(F, model.field.grad)
