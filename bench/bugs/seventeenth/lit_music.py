"""Tags of music: spectrograms, a CNN, and attention over time, in a class like those of Lightning."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LogSpectrogram(nn.Module):
    def __init__(self, n_fft=256, hop=128, bands=40):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("filters", torch.rand(n_fft // 2 + 1, bands))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        power = spec.abs() ** 2
        mel = torch.matmul(power.transpose(1, 2), self.filters)
        return torch.log(mel + 1e-6)


class MusicTagger(nn.Module):
    def __init__(self, n_tags=20, bands=40, width=32):
        super().__init__()
        self.save_hparams = dict(n_tags=n_tags, bands=bands, width=width)
        self.frontend = LogSpectrogram(bands=bands)
        self.bn0 = nn.BatchNorm1d(bands)
        self.block1 = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d((1, 2)))
        self.block2 = nn.Sequential(
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d((2, 2))
        )
        self.proj = nn.Linear(2 * width * (bands // 4), 96)
        layer = nn.TransformerEncoderLayer(96, nhead=4, dim_feedforward=192, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.query = nn.Parameter(torch.randn(1, 1, 96))
        self.pool = nn.MultiheadAttention(96, num_heads=4, batch_first=True)
        self.classifier = nn.Linear(96, n_tags)

    def forward(self, wave, lengths=None):
        mel = self.frontend(wave)
        mel = self.bn0(mel.transpose(1, 2)).transpose(1, 2)
        x = mel.unsqueeze(1)
        x = self.block2(self.block1(x))
        b, c, t, f = x.shape
        x = x.permute(0, 2, 1, 3).reshape(b, t, c * f)
        x = self.proj(x)
        padding = None
        if lengths is not None:
            frames = torch.div(lengths, 256, rounding_mode="floor")
            padding = torch.arange(t)[None, :] >= frames[:, None]
        x = self.encoder(x, src_key_padding_mask=padding)
        q = self.query.expand(b, -1, -1)
        pooled, _ = self.pool(q, x, x, key_padding_mask=padding)
        return self.classifier(pooled.squeeze(1))

    def _shared_step(self, batch):
        logits = self(batch["wave"], batch["lengths"])
        loss = F.binary_cross_entropy_with_logits(logits, batch["tags"])
        return loss, logits

    def training_step(self, batch, batch_idx):
        loss, _ = self._shared_step(batch)
        return loss

    def validation_step(self, batch, batch_idx):
        loss, logits = self._shared_step(batch)
        hits = ((logits > 0) == (batch["tags"] > 0.5)).float().mean(dim=0)
        return {"loss": loss, "hits": hits}

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class WaveData:
    def __init__(self, n=6, samples=8192, n_tags=20):
        self.waves = torch.randn(n, samples)
        self.tags = (torch.rand(n, n_tags) > 0.8).float()
        self.samples = samples

    def batches(self, size):
        for start in range(0, len(self.waves), size):
            wave = self.waves[start : start + size]
            lengths = torch.randint(self.samples // 2, self.samples, (len(wave),))
            yield {"wave": wave, "lengths": lengths, "tags": self.tags[start : start + size]}


class Trainer:
    def __init__(self, max_epochs=1):
        self.max_epochs = max_epochs

    def fit(self, model, data):
        optimizer = model.configure_optimizers()
        for _ in range(self.max_epochs):
            for i, batch in enumerate(data.batches(3)):
                loss = model.training_step(batch, i)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    Trainer().fit(MusicTagger(), WaveData())
