"""Sound events in log-mel spectrograms: a convolutional recurrent network with attention over time."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    n_mels: int = 64
    channels: tuple = (32, 64, 128)
    pool: tuple = ((2, 4), (2, 4), (1, 2))
    rnn_hidden: int = 128
    rnn_layers: int = 2
    n_classes: int = 10
    dropout: float = 0.2

    @property
    def freq_out(self):
        n = self.n_mels
        for _, f in self.pool:
            n = n // f
        return n


class ConvBlock(nn.Module):
    def __init__(self, in_channels, out_channels, pool):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.pool = nn.AvgPool2d(pool)

    def forward(self, x):
        x = F.relu_(self.bn1(self.conv1(x)))
        x = F.relu_(self.bn2(self.conv2(x)))
        return self.pool(x)


class AttentionPool(nn.Module):
    """Weights of frames for each class."""

    def __init__(self, in_features, n_classes):
        super().__init__()
        self.att = nn.Conv1d(in_features, n_classes, kernel_size=1)
        self.cla = nn.Conv1d(in_features, n_classes, kernel_size=1)

    def forward(self, x):
        norm_att = torch.softmax(torch.tanh(self.att(x)), dim=-1)
        cla = torch.sigmoid(self.cla(x))
        return torch.sum(norm_att * cla, dim=2), cla


class SoundEventNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.bn0 = nn.BatchNorm2d(cfg.n_mels)
        blocks = []
        in_channels = 1
        for out_channels, pool in zip(cfg.channels, cfg.pool):
            blocks.append(ConvBlock(in_channels, out_channels, pool))
            in_channels = out_channels
        self.cnn = nn.Sequential(*blocks)
        self.rnn = nn.GRU(
            in_channels * cfg.freq_out,
            cfg.rnn_hidden,
            num_layers=cfg.rnn_layers,
            batch_first=True,
            bidirectional=True,
            dropout=cfg.dropout,
        )
        self.fc = nn.Linear(2 * cfg.rnn_hidden, 2 * cfg.rnn_hidden)
        self.pool = AttentionPool(2 * cfg.rnn_hidden, cfg.n_classes)

    def forward(self, spec):
        x = spec.unsqueeze(1)
        x = x.transpose(1, 3)
        x = self.bn0(x)
        x = x.transpose(1, 3)
        x = self.cnn(x)
        b, c, t, f = x.shape
        x = x.permute(0, 2, 1, 3).reshape(b, t, c * f)
        x, _ = self.rnn(x)
        x = F.relu(self.fc(x))
        clip, frames = self.pool(x.transpose(1, 2))
        frames = F.interpolate(frames, size=spec.size(1), mode="linear", align_corners=False)
        return {"clip": clip, "frames": frames.transpose(1, 2)}

    def loss(self, spec, weak, strong):
        out = self(spec)
        loss = F.binary_cross_entropy(out["clip"], weak)
        return loss + F.binary_cross_entropy(out["frames"], strong)


if __name__ == "__main__":
    model = SoundEventNet(Config())
    spec = torch.randn(4, 96, 64)
    weak = torch.randint(0, 2, (4, 10)).float()
    strong = torch.randint(0, 2, (4, 96, 10)).float()
    print(model.loss(spec, weak, strong))
