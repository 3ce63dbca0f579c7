import torch
import torch.nn as nn
import torch.nn.functional as F


class FrameNet(nn.Module):
    def __init__(self, in_ch, dim):
        super().__init__()
        self.conv1 = nn.Conv2d(in_ch, dim, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(dim, dim, 3, stride=2, padding=1)

    def forward(self, frames):
        h = F.relu(self.conv1(frames))
        h = F.relu(self.conv2(h))
        return h.mean(dim=(-2, -1))


class MultiRate(nn.Module):
    """The same clip seen at several frame rates."""

    def __init__(self, frame_net, rates):
        super().__init__()
        self.frame_net = frame_net
        self.rates = rates

    def forward(self, clip):
        feats = None
        for rate in self.rates:
            frames = clip[:, ::rate]
            b, t = frames.shape[:2]
            f = self.frame_net(frames.flatten(0, 1)).view(b, t, -1)

            if feats is None:
                feats = f
            else:
                feats = torch.cat([feats, f], dim=1)
        return feats


class TemporalHead(nn.Module):
    def __init__(self, dim, n_classes):
        super().__init__()
        self.gate = nn.Linear(dim, 1)
        self.fc = nn.Linear(dim, n_classes)

    def forward(self, feats):
        w = torch.sigmoid(self.gate(feats))
        pooled = (w * feats).sum(1) / w.sum(1)
        return self.fc(pooled)


class SlowFastLite(nn.Module):
    def __init__(self, in_ch=3, dim=12, n_classes=7, rates=(1, 2, 4)):
        super().__init__()
        self.backbone = MultiRate(FrameNet(in_ch, dim), rates)
        self.head = TemporalHead(dim, n_classes)

    def forward(self, clip):
        return self.head(self.backbone(clip))


SlowFastLite()(torch.randn(2, 8, 3, 12, 12))
