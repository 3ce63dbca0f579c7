import torch
import torch.nn as nn

from .config import AudioConfig, ModelConfig
from .features import SpectralTransform


class DownBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel, groups):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, kernel, stride=(2, 1), padding=(1, 1))
        self.norm = nn.GroupNorm(groups, c_out)
        self.act = nn.PReLU(c_out)

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class UpBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel, groups, last=False):
        super().__init__()
        self.deconv = nn.ConvTranspose2d(c_in, c_out, kernel, stride=(2, 1), padding=(1, 1))
        self.post = nn.Identity() if last else nn.Sequential(nn.GroupNorm(groups, c_out), nn.PReLU(c_out))

    def forward(self, x, skip):
        x = torch.cat([x, skip], dim=1)
        return self.post(self.deconv(x))


class RecurrentBottleneck(nn.Module):
    def __init__(self, channels, bins, hidden, layers):
        super().__init__()
        features = channels * bins
        self.rnn = nn.GRU(features, hidden, layers, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        b, c, f, t = x.shape
        seq = x.permute(0, 3, 1, 2).reshape(b, t, c * f)
        out, _ = self.rnn(seq)
        seq = self.norm(seq + self.proj(out))
        return seq.view(b, t, c, f).permute(0, 2, 3, 1)


class Enhancer(nn.Module):
    def __init__(self, audio: AudioConfig, cfg: ModelConfig):
        super().__init__()
        self.transform = SpectralTransform(audio)
        chain = (cfg.in_channels, *cfg.widths)
        self.encoder = nn.ModuleList(
            DownBlock(a, b, cfg.kernel, cfg.norm_groups) for a, b in zip(chain[:-1], chain[1:])
        )
        bins = audio.num_bins // 2 ** len(cfg.widths)
        self.bottleneck = RecurrentBottleneck(chain[-1], bins, cfg.rnn_hidden, cfg.rnn_layers)
        self.decoder = nn.ModuleList()
        for i in range(len(chain) - 1, 0, -1):
            self.decoder.append(UpBlock(2 * chain[i], chain[i - 1], cfg.kernel, cfg.norm_groups, last=i == 1))

    def forward(self, wave):
        spec = self.transform.analyse(wave)
        x = self.transform.network_input(spec)
        skips = []
        for block in self.encoder:
            x = block(x)
            skips.append(x)
        x = self.bottleneck(x)
        for block in self.decoder:
            x = block(x, skips.pop())
        clean = self.transform.apply_mask(spec, torch.tanh(x))
        return self.transform.synthesise(clean, wave.size(-1)), clean
