# EEG windows -> seizure / no seizure
from collections import OrderedDict

import torch
import torch.nn as nn


def stage(index, c_in, c_out, width, stride):
    return nn.Sequential(
        OrderedDict(
            [
                (f"conv{index}", nn.Conv1d(c_in, c_out, width, stride=stride, padding=width // 2)),
                (f"bn{index}", nn.BatchNorm1d(c_out)),
                (f"act{index}", nn.LeakyReLU(0.1)),
            ]
        )
    )


class SeizureDetector(nn.Module):
    def __init__(self, leads=16):
        super().__init__()
        self.stages = nn.Sequential(
            stage(1, leads, 24, 7, 2),
            stage(2, 24, 32, 5, 2),
            stage(3, 32, 32, 3, 2),
        )
        self.classifier = nn.Linear(32, 2)

    def forward(self, eeg):
        features = self.stages(eeg)
        return self.classifier(features.mean(-1))


def run_epoch(net, batches, optimizer):
    net.train()
    losses = []
    for eeg, label in batches:
        loss = nn.functional.cross_entropy(net(eeg), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


if __name__ == "__main__":
    torch.manual_seed(1)
    net = SeizureDetector()
    data = [(torch.randn(8, 16, 128), torch.randint(0, 2, (8,))) for _ in range(4)]
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(2):
        print("epoch", epoch, "loss", run_epoch(net, data, opt))
