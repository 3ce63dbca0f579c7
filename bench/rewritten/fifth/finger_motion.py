"""Finger motion from muscle signals; every window is normalised on its own."""
import torch
from torch import nn


class MotionNet(nn.Module):
    def __init__(self, electrodes=8, width=16, joints=5):
        super().__init__()
        self.reader = nn.Sequential(
            nn.Linear(electrodes, width, bias=False), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, joints)
        )
        self.smooth = nn.Conv1d(joints, joints, 3, padding=1, groups=joints)

    def forward(self, windows):
        # the statistics of the batch are taken window by window
        angles = []
        for t in range(windows.shape[1]):
            angles.append(self.reader(windows[:, t]))
        angles = torch.stack(angles, dim=1)
        return self.smooth(angles.transpose(1, 2))


if __name__ == "__main__":
    torch.manual_seed(35)
    net = MotionNet()
    drift = torch.linspace(0, 3, 12).view(1, 12, 1)
    emg = torch.randn(6, 12, 8) + drift
    goal = torch.randn(6, 5, 12)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(3):
        loss = (net(emg) - goal).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())
