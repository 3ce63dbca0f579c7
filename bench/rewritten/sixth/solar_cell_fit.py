"""Fits the single-diode model of a solar cell to measured current-voltage curves."""
import math

import torch
from torch import nn


class SingleDiode(nn.Module):
    """Current of a cell at a voltage (series resistance is neglected)."""

    thermal_voltage = 0.02585

    def __init__(self, photo: float = 3.0, saturation: float = 1e-8, ideality: float = 1.3, shunt: float = 50.0):
        super().__init__()
        self.photo = nn.Parameter(torch.tensor(photo))
        self.log_saturation = nn.Parameter(torch.tensor(math.log(saturation)))
        self.ideality = nn.Parameter(torch.tensor(ideality))
        self.conductance = nn.Parameter(torch.tensor(1 / shunt))

    def forward(self, voltage: torch.Tensor) -> torch.Tensor:
        boost = torch.exp(voltage / (self.ideality * self.thermal_voltage))
        diode = self.log_saturation.exp() * (boost - 1.0)
        leak = voltage * self.conductance
        return self.photo - diode - leak


def measure(points: int = 50) -> tuple[torch.Tensor, torch.Tensor]:
    voltage = torch.linspace(0.0, 0.6, points)
    with torch.no_grad():
        current = SingleDiode(3.2, 3e-9, 1.2, 80.0)(voltage)
    return voltage, current + 0.01 * torch.randn(points)


def main() -> None:
    torch.manual_seed(30)
    voltage, current = measure()
    cell = SingleDiode()
    optimizer = torch.optim.Adam(cell.parameters(), lr=0.01)
    for step in range(60):
        optimizer.zero_grad()
        misfit = nn.functional.smooth_l1_loss(cell(voltage), current)
        misfit.backward()
        optimizer.step()
        if step % 20 == 0:
            print(step, misfit.item())
    print({name: round(value.item(), 4) for name, value in cell.named_parameters()})


if __name__ == "__main__":
    main()
