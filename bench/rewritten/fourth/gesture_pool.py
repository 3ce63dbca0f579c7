import torch
import torch.nn as nn


class FrameEncoder(nn.Module):
    """Turns (batch, time, joints * 3) skeleton frames into features."""

    def __init__(self, joints, hidden):
        super().__init__()
        self.inp = nn.Linear(joints * 3, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)

    def forward(self, skel):
        b, t = skel.shape[:2]
        h = torch.relu(self.inp(skel.reshape(b, t, -1)))
        out, _ = self.rnn(h)
        return out


class TemporalPool(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.score = nn.Sequential(
            nn.Linear(hidden, hidden // 2),
            nn.Tanh(),
            nn.Linear(hidden // 2, 1),
        )

    def forward(self, feats):
        # feats: batch, time, hidden
        e = self.score(feats)[..., 0]
        alpha = torch.softmax(e, 0)
        return (feats * alpha[..., None]).sum(dim=1)


class GestureNet(nn.Module):
    def __init__(self, joints=7, hidden=24, classes=5):
        super().__init__()
        self.encoder = FrameEncoder(joints, hidden)
        self.pool = TemporalPool(hidden)
        self.cls = nn.Linear(hidden, classes)

    def forward(self, skel):
        return self.cls(self.pool(self.encoder(skel)))


GestureNet()(torch.randn(4, 9, 7, 3))
