import torch
import torch.nn as nn
import torch.nn.functional as F


class TemporalConv(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.conv = nn.Conv3d(c_in, c_out, (3, 3, 3), stride=(1, stride, stride), padding=1)

    def forward(self, x):
        return F.relu(self.conv(x))


class Pyramid(nn.Module):
    """Multi-level features; the level names match the released checkpoints."""

    LEVELS = ("p2", "p3", "p4")

    def __init__(self, in_ch=3, width=8):
        super().__init__()
        self.stage_p2 = TemporalConv(in_ch, width, stride=2)
        self.stage_p3 = TemporalConv(width, width, stride=2)
        self.stage_p4 = TemporalConv(width, width, stride=2)
        self.lateral = nn.Conv3d(width, width, 1)

    def forward(self, clip):
        feats = {}
        x = clip
        for level in self.LEVELS:
            x = getattr(self, f"stage_{level}")(x)
            feats[level] = self.lateral(x)
        return feats


class ActionHead(nn.Module):
    def __init__(self, width, n_levels, n_actions):
        super().__init__()
        self.fc = nn.Linear(width * n_levels, n_actions)

    def forward(self, feats):
        pooled = [f.mean(dim=(2, 3, 4)) for f in feats.values()]
        return self.fc(torch.cat(pooled, dim=1))


class ActionDetector(nn.Module):
    def __init__(self, width=8, n_actions=6):
        super().__init__()
        self.backbone = Pyramid(width=width)
        self.head = ActionHead(width, len(Pyramid.LEVELS), n_actions)

    def forward(self, clip):
        return self.head(self.backbone(clip))


ActionDetector()(torch.randn(2, 3, 3, 16, 16))
