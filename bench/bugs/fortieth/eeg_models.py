import torch
import torch.nn as nn
import torch.nn.functional as F


class GeM1d(nn.Module):
    def __init__(self, p=3.0, eps=1e-6):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1) * p)
        self.eps = eps

    def forward(self, x):
        return F.avg_pool1d(x.clamp(min=self.eps).pow(self.p), x.size(-1)).pow(1.0 / self.p).squeeze(-1)


class ResBlock1d(nn.Module):
    def __init__(self, c_in, c_out, k=7, stride=2):
        super().__init__()
        self.conv1 = nn.Conv1d(c_in, c_out, k, stride=stride, padding=k // 2, bias=False)
        self.bn1 = nn.BatchNorm1d(c_out)
        self.conv2 = nn.Conv1d(c_out, c_out, k, padding=k // 2, bias=False)
        self.bn2 = nn.BatchNorm1d(c_out)
        self.down = nn.Sequential(nn.AvgPool1d(stride), nn.Conv1d(c_in, c_out, 1)) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = F.silu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.silu(y + self.down(x))


class EEGNet1d(nn.Module):
    """raw waves -> conv stack -> bi-GRU -> attention pooling"""

    def __init__(self, n_leads=10, widths=(16, 32, 48), rnn_hidden=20):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(n_leads, widths[0], 15, stride=2, padding=7), nn.BatchNorm1d(widths[0]), nn.SiLU()
        )
        self.blocks = nn.Sequential(*[ResBlock1d(a, b) for a, b in zip(widths[:-1], widths[1:])])
        self.rnn = nn.GRU(widths[-1], rnn_hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.att = nn.Sequential(nn.Linear(2 * rnn_hidden, 16), nn.Tanh(), nn.Linear(16, 1))
        self.gem = GeM1d()
        self.out_dim = 2 * rnn_hidden + widths[-1]

    def forward(self, x):
        x = self.blocks(self.stem(x))
        seq, _ = self.rnn(x.transpose(1, 2))
        w = torch.softmax(self.att(seq), dim=1)
        pooled = (w * seq).sum(dim=1)
        return torch.cat([pooled, self.gem(x)], dim=1)


class SpecNet(nn.Module):
    """log-spectrograms of the 4 brain regions, tiled in one picture"""

    def __init__(self, n_fft=64, hop=16, width=16):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 4 * width, 3, stride=2, padding=1), nn.BatchNorm2d(4 * width), nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.out_dim = 4 * width

    def spec(self, x):
        b, r, t = x.shape
        s = torch.stft(x.reshape(b * r, t), self.n_fft, self.hop, window=self.window, return_complex=True)
        s = torch.log(s.abs().pow(2) + 1e-4)
        s = (s - s.mean(dim=(1, 2), keepdim=True)) / (s.std(dim=(1, 2), keepdim=True) + 1e-5)
        return s.view(b, r, s.size(1), s.size(2))

    def forward(self, x):
        # regions: left temporal, left parasagittal, right parasagittal, right temporal (+ 2 midline, not used)
        ll, lp, rp, rr, mid = x.split([2, 2, 2, 2, 2], dim=1)
        regions = torch.stack([g.mean(dim=1) for g in (ll, lp, rp, rr)], dim=1)
        s = self.spec(regions)
        img = torch.cat([s[:, i] for i in range(4)], dim=1).unsqueeze(1)
        return self.net(img).mean(dim=(2, 3))


class HMSModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.wave = EEGNet1d(cfg["n_leads"])
        self.spec = SpecNet(cfg["n_fft"], cfg["hop"])
        self.meta = nn.Sequential(nn.Linear(cfg["n_meta"], 12), nn.BatchNorm1d(12), nn.ReLU())
        dim = self.wave.out_dim + self.spec.out_dim + 12
        self.drops = nn.ModuleList([nn.Dropout(0.1 * (i + 1)) for i in range(3)])
        self.neck = nn.Sequential(nn.Linear(dim, dim // 2), nn.LayerNorm(dim // 2), nn.SiLU())
        self.head = nn.Linear(dim // 2, cfg["n_classes"])

    def forward(self, eeg, meta):
        f = torch.cat([self.wave(eeg), self.spec(eeg), self.meta(meta)], dim=1)
        f = self.neck(f)
        return torch.stack([self.head(d(f)) for d in self.drops], dim=0).mean(dim=0)
