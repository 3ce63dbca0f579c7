# causal dilated convolutions on raw audio, skip connections; noisy -> clean
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv1d(nn.Conv1d):
    def __init__(self, in_channels, out_channels, kernel_size, dilation=1):
        super().__init__(in_channels, out_channels, kernel_size, dilation=dilation)
        self.left = (kernel_size - 1) * dilation

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, 0)))


class GatedBlock(nn.Module):
    def __init__(self, channels, skip_channels, dilation):
        super().__init__()
        self.conv = CausalConv1d(channels, 2 * channels, 3, dilation)
        self.res = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, skip_channels, 1)

    def forward(self, x):
        filt, gate = self.conv(x).chunk(2, dim=1)
        z = torch.tanh(filt) * torch.sigmoid(gate)
        return x + self.res(z), self.skip(z)


class Denoiser(nn.Module):
    def __init__(self, channels=24, skip_channels=48, depth=5):
        super().__init__()
        self.inp = CausalConv1d(1, channels, 3)
        self.blocks = nn.ModuleList([GatedBlock(channels, skip_channels, 2**i) for i in range(depth)])
        self.out = nn.Sequential(
            nn.ReLU(), nn.Conv1d(skip_channels, skip_channels, 1), nn.ReLU(), nn.Conv1d(skip_channels, 1, 1)
        )

    def forward(self, wav):
        x = self.inp(wav.unsqueeze(1))
        total = 0
        for block in self.blocks:
            x, s = block(x)
            total = total + s
        return self.out(total).squeeze(1)


class SpectralLoss(nn.Module):
    def __init__(self, n_fft=256, hop=64, n_mels=20):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("mel", torch.rand(n_mels, n_fft // 2 + 1))

    def logmel(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True).abs()
        return torch.log(torch.matmul(self.mel, spec) + 1e-5)

    def forward(self, est, ref):
        return F.l1_loss(self.logmel(est), self.logmel(ref)) + F.l1_loss(est, ref)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--batch", type=int, default=3)
    p.add_argument("--seconds", type=float, default=0.25)
    args = p.parse_args()
    model, criterion = Denoiser(), SpectralLoss()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    clean = torch.randn(args.batch, int(16000 * args.seconds))
    noisy = clean + 0.1 * torch.randn_like(clean)
    loss = criterion(model(noisy), clean)
    loss.backward()
    opt.step()


if __name__ == "__main__":
    main()
