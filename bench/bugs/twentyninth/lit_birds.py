"""Bird calls: two-view contrastive pretraining and a probe, as modules with training steps under a small trainer."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Calls(Dataset):
    """Waves of one second, with the species that are heard in them."""

    def __init__(self, size=12, rate=4000, species=7):
        self.waves = torch.randn(size, rate)
        self.labels = (torch.rand(size, species) > 0.7).float()

    def __len__(self):
        return self.waves.shape[0]

    def __getitem__(self, index):
        return {"wave": self.waves[index], "label": self.labels[index]}


class Spectrogram(nn.Module):
    def __init__(self, n_fft=256, hop=64, n_mels=32):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("mel", torch.rand(n_mels, n_fft // 2 + 1))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True).abs().pow(2)
        return torch.log1p(self.mel @ spec).unsqueeze(1)


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(channels, channels // reduction),
            nn.ReLU(),
            nn.Linear(channels // reduction, channels),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return x * self.fc(x.mean((2, 3)))[:, :, None, None]


class MBConv(nn.Module):
    def __init__(self, c_in, c_out, stride=1, expand=4):
        super().__init__()
        mid = c_in * expand
        self.use_skip = stride == 1 and c_in == c_out
        self.expand = nn.Sequential(nn.Conv2d(c_in, mid, 1, bias=False), nn.BatchNorm2d(mid), nn.SiLU())
        self.depthwise = nn.Sequential(
            nn.Conv2d(mid, mid, 3, stride, padding=1, groups=mid, bias=False), nn.BatchNorm2d(mid), nn.SiLU()
        )
        self.se = SqueezeExcite(mid)
        self.project = nn.Sequential(nn.Conv2d(mid, c_out, 1, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        out = self.project(self.se(self.depthwise(self.expand(x))))
        return out + x if self.use_skip else out


class BirdNet(nn.Module):
    cfg = ((16, 16, 1), (16, 24, 2), (24, 24, 1), (24, 40, 2))

    def __init__(self, n_mels=32):
        super().__init__()
        self.frontend = Spectrogram(n_mels=n_mels)
        self.bn0 = nn.BatchNorm2d(n_mels)
        self.stem = nn.Conv2d(1, 16, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*[MBConv(c_in, c_out, stride) for c_in, c_out, stride in self.cfg])
        self.num_features = self.cfg[-1][1]

    def forward(self, wave):
        x = self.frontend(wave)
        x = self.bn0(x.transpose(1, 2)).transpose(1, 2)
        x = self.blocks(self.stem(x))
        x = x.mean(dim=2)
        return x.transpose(1, 2)


class AttentionPool(nn.Module):
    """Pooling over frames with one attention for each species."""

    def __init__(self, features, species):
        super().__init__()
        self.attention = nn.Linear(features, species)
        self.scores = nn.Linear(features, species)

    def forward(self, frames):
        weights = self.attention(frames).tanh().softmax(dim=1)
        framewise = self.scores(frames)
        return (weights * framewise).sum(dim=1), framewise


class LitModule(nn.Module):
    """What the trainer asks of a model."""

    def training_step(self, batch, batch_idx):
        raise NotImplementedError

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def augment(wave):
    shift = int(torch.randint(0, wave.size(1), ()))
    return wave.roll(shift, dims=1) + 0.01 * torch.randn_like(wave)


class Pretrain(LitModule):
    def __init__(self, proj_dim=32, queue=64, momentum=0.99, temperature=0.1):
        super().__init__()
        self.backbone = BirdNet()
        width = self.backbone.num_features
        self.projector = nn.Sequential(
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, proj_dim)
        )
        self.register_buffer("queue", F.normalize(torch.randn(queue, proj_dim), dim=1))
        self.momentum, self.temperature = momentum, temperature

    def embed(self, wave):
        return F.normalize(self.projector(self.backbone(wave).mean(dim=1)), dim=1)

    def training_step(self, batch, batch_idx):
        q, k = self.embed(augment(batch["wave"])), self.embed(augment(batch["wave"])).detach()
        positive = (q * k).sum(dim=1, keepdim=True)
        negative = q @ self.queue.t()
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        self.queue = torch.cat([k, self.queue[: -len(k)]])
        return F.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long))


class Probe(LitModule):
    def __init__(self, backbone, species=7):
        super().__init__()
        self.backbone = backbone
        self.pool = AttentionPool(backbone.num_features, species)

    def forward(self, wave):
        return self.pool(self.backbone(wave))

    def training_step(self, batch, batch_idx):
        clip, framewise = self(batch["wave"])
        loss = F.binary_cross_entropy_with_logits(clip, batch["label"])
        best, _ = framewise.max(dim=1)
        return loss + 0.5 * F.binary_cross_entropy_with_logits(best, batch["label"])


class Trainer:
    def __init__(self, max_epochs=1):
        self.max_epochs = max_epochs

    def fit(self, module, loader):
        optimizer = module.configure_optimizers()
        module.train()
        for _ in range(self.max_epochs):
            for i, batch in enumerate(loader):
                loss = module.training_step(batch, i)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    loader = DataLoader(Calls(), batch_size=4, shuffle=True)
    pretrain = Pretrain()
    Trainer().fit(pretrain, loader)
    Trainer().fit(Probe(pretrain.backbone), loader)
