import torch
import torch.nn as nn


class FrameNet(nn.Module):
    """Silhouette of a walking person -> vector."""

    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Conv2d(1, dim, 3, stride=2, bias=False)
        self.bn = nn.BatchNorm2d(dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, frame):
        h = torch.relu(self.bn(self.conv(frame)))
        return self.fc(h.amax(dim=(2, 3)))


class GaitPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)

    def forward(self, seq):
        h = self.conv(seq.transpose(1, 2))
        return h.mean(-1) + h.amax(-1)


class GaitNet(nn.Module):
    def __init__(self, dim=12, people=5):
        super().__init__()
        self.frame_net = FrameNet(dim)
        self.pool = GaitPool(dim)
        self.people = nn.Linear(dim, people)

    def forward(self, clip):
        # clip: batch, time, height, width
        outs = []
        for t in range(clip.shape[1]):
            outs.append(self.frame_net(clip[:, t].unsqueeze(1)))
        seq = torch.stack(outs, dim=1)
        return self.people(self.pool(seq))


GaitNet()(torch.rand(3, 4, 11, 9))
