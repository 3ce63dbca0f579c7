"""Sleep stages from EEG epochs (batch, electrode, time)."""
import torch
import torch.nn as nn


class Frontend(nn.Module):
    def __init__(self, electrodes, filters):
        super().__init__()
        self.spatial = nn.Conv1d(electrodes, filters, 1)
        self.temporal = nn.Conv1d(filters, filters, 15, stride=4, padding=7, groups=filters)

    def forward(self, eeg):
        return self.temporal(self.spatial(eeg))


class SleepStager(nn.Module):
    def __init__(self, electrodes=6, filters=12, stages=5):
        super().__init__()
        self.frontend = Frontend(electrodes, filters)
        self.stage = nn.Linear(2 * filters, stages)

    def forward(self, eeg):
        bands = self.frontend(eeg)
        # (batch, time, filter)
        steps = bands.transpose(1, 2)
        # back again: the statistics are over time, which comes last
        bands = steps.transpose(2, 1)
        level = bands.mean(dim=-1)
        swing = bands.std(dim=-1)
        return self.stage(torch.cat([level, swing], dim=1))


if __name__ == "__main__":
    torch.manual_seed(11)
    model = SleepStager()
    epochs = torch.randn(4, 6, 200)
    stages = torch.tensor([0, 2, 4, 1])
    loss = nn.functional.cross_entropy(model(epochs), stages)
    loss.backward()
    print(f"{loss.item():.6f}")
