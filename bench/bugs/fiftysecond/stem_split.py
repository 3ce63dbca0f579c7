"""Separation of mixes by bands of the spectrogram, after the band-split RNN."""
import numpy as np
import torch
from einops import rearrange
from torch import nn
from torch.utils.data import DataLoader

from stem_mixes import STEMS, Mixes, collate

N_FFT, HOP = 256, 64
BANDS = (8, 8, 16, 32, 65)


class BandSplit(nn.Module):
    def __init__(self, widths, dim):
        super().__init__()
        self.widths = list(widths)
        self.norms = nn.ModuleList(nn.LayerNorm(2 * w) for w in widths)
        self.lins = nn.ModuleList(nn.Linear(2 * w, dim) for w in widths)

    def forward(self, spec):
        parts = torch.view_as_real(spec).split(self.widths, dim=1)
        parts = [rearrange(part, "b f t c -> b t (f c)") for part in parts]
        out = [lin(norm(part)) for part, norm, lin in zip(parts, self.norms, self.lins)]
        return torch.stack(out, dim=1)


class DualPath(nn.Module):
    """One layer along the frames, and one across the bands."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.time_norm = nn.LayerNorm(dim)
        self.time = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.time_out = nn.Linear(2 * hidden, dim)
        self.band_norm = nn.LayerNorm(dim)
        self.band = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.band_out = nn.Linear(2 * hidden, dim)

    def forward(self, x):
        b, k, t, d = x.shape
        h, _ = self.time(self.time_norm(x.reshape(b * k, t, d)))
        x = x + self.time_out(h).view(b, k, t, d)
        h = x.transpose(1, 2).reshape(b * t, k, d)
        h, _ = self.band(self.band_norm(h))
        h = self.band_out(h)
        return x + h.view(b, t, k, d).transpose(1, 2)


class MaskHead(nn.Module):
    def __init__(self, widths, dim, stems):
        super().__init__()
        self.widths, self.stems = list(widths), stems
        heads = [nn.Linear(dim, 2 * stems * w) for w in widths]
        self.heads = nn.ModuleList(heads)

    def forward(self, x):
        masks = []
        for band, head, w in zip(x.unbind(dim=1), self.heads, self.widths):
            mask = head(band)
            masks.append(rearrange(mask, "b t (s f c) -> b s f t c", s=self.stems, f=w, c=2))
        return torch.view_as_complex(torch.cat(masks, dim=2).contiguous())


class Separator(nn.Module):
    def __init__(self, dim=24, hidden=20, depth=2, stems=len(STEMS)):
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT), persistent=False)
        self.split = BandSplit(BANDS, dim)
        self.paths = nn.ModuleList(DualPath(dim, hidden) for _ in range(depth))
        self.head = MaskHead(BANDS, dim, stems)

    def forward(self, batch):
        mix = batch["mix"]
        spec = torch.stft(mix, N_FFT, HOP, window=self.window, return_complex=True)
        x = self.split(spec)
        for path in self.paths:
            x = path(x)
        masked = spec.unsqueeze(1) * self.head(x)
        flat = rearrange(masked, "b s f t -> (b s) f t")
        wave = torch.istft(flat, N_FFT, HOP, window=self.window, length=mix.shape[-1])
        batch["estimate"] = rearrange(wave, "(b s) n -> b s n", b=len(mix))
        batch["spec"] = masked
        return batch


class StemLoss(nn.Module):
    """L1 of the waves, and of the magnitudes with more weight on high bins."""

    def __init__(self, bins=N_FFT // 2 + 1):
        super().__init__()
        tilt = np.linspace(1.0, 2.0, bins)
        self.register_buffer("tilt", torch.from_numpy(tilt).float()[:, None])

    def forward(self, batch):
        stems = batch["stems"]
        valid = torch.arange(stems.shape[-1], device=stems.device) < batch["lengths"][:, None]
        gap = (batch["estimate"] - stems).abs()
        wave = (gap * valid[:, None]).sum() / (valid.sum() * stems.shape[1])
        window = torch.hann_window(N_FFT, device=stems.device)
        wanted = torch.stft(stems.flatten(0, 1), N_FFT, HOP, window=window, return_complex=True)
        off = (batch["spec"].abs().flatten(0, 1) - wanted.abs()).abs()
        return wave + 0.1 * (off * self.tilt).mean()


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Mixes(8), batch_size=4, collate_fn=collate)
    model, criterion = Separator(), StemLoss()
    optim = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(2):
        for batch in loader:
            loss = criterion(model(batch))
            optim.zero_grad()
            loss.backward()
            optim.step()
        print(f"epoch {epoch}: {loss.item():.4f}")
