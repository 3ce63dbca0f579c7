import torch
import torch.nn as nn


class TDNNLayer(nn.Module):
    def __init__(self, c_in, c_out, context, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, context, dilation=dilation,
                              padding=dilation * (context - 1) // 2)
        self.act = nn.LeakyReLU(0.1)

    def forward(self, x):
        return self.act(self.conv(x))


class FrameEncoder(nn.Module):
    def __init__(self, n_mels, channels):
        super().__init__()
        self.layers = nn.Sequential(
            TDNNLayer(n_mels, channels, 5),
            TDNNLayer(channels, channels, 3, dilation=2),
            TDNNLayer(channels, channels, 3, dilation=3),
        )

    def forward(self, mels):
        # mels: (batch, n_mels, frames); out: (frames, batch, channels)
        return self.layers(mels).permute(2, 0, 1)


class AttentivePooling(nn.Module):
    def __init__(self, channels, bottleneck=16):
        super().__init__()
        self.w1 = nn.Linear(channels, bottleneck)
        self.w2 = nn.Linear(bottleneck, channels)

    def forward(self, frames):
        scores = self.w2(torch.tanh(self.w1(frames)))
        alpha = scores.softmax(dim=0)
        mean = (alpha * frames).sum(0)
        var = (alpha * (frames - mean) ** 2).sum(0)
        return torch.cat([mean, (var + 1e-6).sqrt()], dim=-1)


class SpeakerNet(nn.Module):
    def __init__(self, n_mels=20, channels=24, emb=12, n_speakers=9):
        super().__init__()
        self.encoder = FrameEncoder(n_mels, channels)
        self.pool = AttentivePooling(channels)
        self.embedding = nn.Linear(2 * channels, emb)
        self.classifier = nn.Linear(emb, n_speakers)

    def forward(self, mels):
        stats = self.pool(self.encoder(mels))
        e = self.embedding(stats)
        return self.classifier(e), e


SpeakerNet()(torch.randn(3, 20, 40))
