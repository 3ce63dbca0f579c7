"""Speech and lips: dilated convolutions over sound, a 3D network over frames, joined to recognise words."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class WaveBlock(nn.Module):
    def __init__(self, channels, dilation, kernel_size=3):
        super().__init__()
        self.pad = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, 2 * channels, kernel_size, dilation=dilation)
        self.res = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        y = self.conv(F.pad(x, (self.pad, 0)))
        filt, gate = y.chunk(2, dim=1)
        z = torch.tanh(filt) * torch.sigmoid(gate)
        return x + self.res(z), self.skip(z)


class AudioNet(nn.Module):
    def __init__(self, channels=32, cycles=2, depth=4):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv1d(1, 16, 10, stride=5),
            nn.GroupNorm(4, 16),
            nn.GELU(),
            nn.Conv1d(16, channels, 8, stride=4),
            nn.GELU(),
        )
        self.blocks = nn.ModuleList([WaveBlock(channels, 2**d) for _ in range(cycles) for d in range(depth)])
        self.post = nn.Conv1d(channels, channels, 1)

    def forward(self, wav):
        x = self.front(wav.unsqueeze(1))
        total = 0
        for block in self.blocks:
            x, skip = block(x)
            total = total + skip
        return self.post(F.relu(total)).transpose(1, 2)


class VideoNet(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv3d(1, 8, (5, 5, 5), stride=(1, 2, 2), padding=(2, 2, 2), bias=False),
            nn.BatchNorm3d(8),
            nn.PReLU(8),
            nn.MaxPool3d((1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1)),
        )
        self.frame = nn.Sequential(nn.Conv2d(8, 24, 3, 2, 1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2))
        self.proj = nn.Linear(24 * 2 * 2, dim)

    def forward(self, video):
        x = self.stem(video.unsqueeze(1))
        b, c, t, h, w = x.shape
        x = x.transpose(1, 2).reshape(b * t, c, h, w)
        x = self.frame(x).flatten(1)
        return self.proj(x).view(b, t, -1)


class LipReader(nn.Module):
    def __init__(self, words, audio=32, video=48, hidden=40):
        super().__init__()
        self.audio = AudioNet(audio)
        self.video = VideoNet(video)
        self.rnn = nn.GRU(audio + video, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.start = nn.Parameter(torch.zeros(4, 1, hidden))
        self.attend = nn.Linear(2 * hidden, 1)
        self.classify = nn.Linear(2 * hidden, words)

    def forward(self, wav, video):
        v = self.video(video)
        a = self.audio(wav)
        a = F.interpolate(a.transpose(1, 2), size=v.size(1), mode="linear").transpose(1, 2)
        x = torch.cat([a, v], dim=2)
        h0 = self.start.expand(-1, x.size(0), -1).contiguous()
        out, _ = self.rnn(x, h0)
        weights = self.attend(out).squeeze(-1).softmax(dim=1)
        pooled = torch.bmm(weights.unsqueeze(1), out).squeeze(1)
        return self.classify(pooled), self.classify(out)


class SpecAugment:
    def __init__(self, width=20):
        self.width = width

    def __call__(self, wav):
        start = torch.randint(0, wav.size(1) - self.width, (wav.size(0), 1))
        places = torch.arange(wav.size(1))
        return wav.masked_fill((places >= start) & (places < start + self.width), 0.0)


class Clips(torch.utils.data.Dataset):
    def __init__(self, count, words):
        self.count, self.words = count, words

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(2000, generator=g), torch.rand(10, 32, 32, generator=g), i % self.words


WORDS = 9
model = LipReader(WORDS)
augment = SpecAugment()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for wav, video, word in torch.utils.data.DataLoader(Clips(8, WORDS), batch_size=4):
    logits, frames = model(augment(wav), video)
    loss = F.cross_entropy(logits, word)
    loss = loss + F.cross_entropy(frames.transpose(1, 2), word[:, None].expand(-1, frames.size(1)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    correct = (logits.argmax(dim=1) == word).float().mean()
    print(loss.item(), correct.item())
