"""Who speaks: an x-vector network with statistics pooling and an additive margin, trained and verified."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

N_MELS = 40
SPEAKERS = 12


class LogMel(nn.Module):
    def __init__(self, n_fft=256, hop=128, n_mels=N_MELS):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("filters", torch.rand(n_mels, n_fft // 2 + 1))

    def forward(self, wav):
        spectrum = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True)
        mel = self.filters @ spectrum.abs().pow(2)
        mel = torch.log(mel + 1e-6)
        return mel - mel.mean(dim=-1, keepdim=True)


class TDNN(nn.Module):
    def __init__(self, c_in, c_out, context, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, context, dilation=dilation, padding=dilation * (context - 1) // 2)
        self.norm = nn.BatchNorm1d(c_out)

    def forward(self, x):
        return self.norm(F.relu(self.conv(x)))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, bottleneck=32):
        super().__init__()
        self.down = nn.Linear(channels, bottleneck)
        self.up = nn.Linear(bottleneck, channels)

    def forward(self, x):
        s = F.relu(self.down(x.mean(dim=2)))
        s = torch.sigmoid(self.up(s))
        return x * s.unsqueeze(2)


class Res2Block(nn.Module):
    def __init__(self, channels, scale=4, dilation=2):
        super().__init__()
        self.scale = scale
        width = channels // scale
        self.before = TDNN(channels, channels, 1)
        self.parts = nn.ModuleList([TDNN(width, width, 3, dilation) for _ in range(scale - 1)])
        self.after = TDNN(channels, channels, 1)
        self.excite = SqueezeExcite(channels)

    def forward(self, x):
        first, *rest = self.before(x).chunk(self.scale, dim=1)
        outputs = [first]
        previous = None
        for part, conv in zip(rest, self.parts):
            previous = conv(part if previous is None else part + previous)
            outputs.append(previous)
        y = self.excite(self.after(torch.cat(outputs, dim=1)))
        return x + y


class AttentiveStatistics(nn.Module):
    """Mean and deviation over time, weighted by channel."""

    def __init__(self, channels, hidden=64):
        super().__init__()
        self.hidden = nn.Conv1d(channels * 3, hidden, 1)
        self.weights = nn.Conv1d(hidden, channels, 1)

    def forward(self, x):
        mean = x.mean(dim=2, keepdim=True).expand_as(x)
        std = x.var(dim=2, keepdim=True).clamp(min=1e-6).sqrt().expand_as(x)
        alpha = self.weights(torch.tanh(self.hidden(torch.cat([x, mean, std], dim=1))))
        alpha = torch.softmax(alpha, dim=2)
        mu = (alpha * x).sum(dim=2)
        sigma = ((alpha * x.pow(2)).sum(dim=2) - mu.pow(2)).clamp(min=1e-6).sqrt()
        return torch.cat([mu, sigma], dim=1)


class SpeakerNet(nn.Module):
    def __init__(self, channels=128, embedding=96):
        super().__init__()
        self.features = LogMel()
        self.first = TDNN(N_MELS, channels, 5)
        self.blocks = nn.ModuleList([Res2Block(channels, dilation=d) for d in (2, 3, 4)])
        self.merge = nn.Conv1d(channels * 3, 256, 1)
        self.pool = AttentiveStatistics(256)
        self.norm = nn.BatchNorm1d(512)
        self.embed = nn.Linear(512, embedding)

    def forward(self, wav):
        x = self.first(self.features(wav))
        kept = []
        for block in self.blocks:
            x = block(x)
            kept.append(x)
        x = F.relu(self.merge(torch.cat(kept, dim=1)))
        return self.embed(self.norm(self.pool(x)))


class MarginSoftmax(nn.Module):
    def __init__(self, embedding, classes, margin=0.2, scale=30.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, embedding))
        self.margin, self.scale = margin, scale

    def forward(self, x, labels):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight)).clamp(-1 + 1e-6, 1 - 1e-6)
        theta = torch.acos(cosine)
        shifted = torch.cos((theta + self.margin).clamp(max=math.pi))
        onehot = F.one_hot(labels, cosine.size(1)).bool()
        logits = self.scale * torch.where(onehot, shifted, cosine)
        return F.cross_entropy(logits, labels), logits


class Utterances(Dataset):
    def __init__(self, length=16, samples=6400):
        self.length, self.samples = length, samples

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        speaker = i % SPEAKERS
        time = torch.arange(self.samples) / 16000
        wav = torch.sin(2 * math.pi * (100 + 20 * speaker) * time) + 0.1 * torch.randn(self.samples)
        return wav, speaker


def train(model, head, loader, epochs=1):
    parameters = list(model.parameters()) + list(head.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    for _ in range(epochs):
        model.train()
        right = 0
        for wav, speaker in loader:
            loss, logits = head(model(wav), speaker)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += (logits.argmax(dim=1) == speaker).sum().item()
        print(loss.item(), right / len(loader.dataset))


@torch.no_grad()
def verify(model, loader):
    model.eval()
    vectors, names = [], []
    for wav, speaker in loader:
        vectors.append(F.normalize(model(wav), dim=1))
        names.append(speaker)
    vectors, names = torch.cat(vectors), torch.cat(names)
    scores = vectors @ vectors.t()
    same = names[:, None] == names[None, :]
    above = torch.triu(torch.ones_like(same), diagonal=1)
    targets, others = scores[same & above], scores[~same & above]
    thresholds = torch.linspace(-1, 1, 201)
    missed = (targets[None] < thresholds[:, None]).float().mean(dim=1)
    false = (others[None] >= thresholds[:, None]).float().mean(dim=1)
    return (missed - false).abs().argmin(), thresholds


def main():
    data = Utterances()
    loader = DataLoader(data, batch_size=8, drop_last=True)
    model = SpeakerNet()
    head = MarginSoftmax(96, SPEAKERS)
    train(model, head, loader)
    best, thresholds = verify(model, loader)
    print("threshold", thresholds[best].item())


if __name__ == "__main__":
    main()
