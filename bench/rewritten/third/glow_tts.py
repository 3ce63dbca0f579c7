import torch
import torch.nn as nn


class ActNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(1, channels, 1))
        self.log_scale = nn.Parameter(torch.zeros(1, channels, 1))
        self.register_buffer("initialized", torch.tensor(0))

    @torch.no_grad()
    def _data_init(self, x):
        mean = x.mean(dim=(0, 2), keepdim=True)
        std = x.std(dim=(0, 2), keepdim=True)
        self.loc.copy_(mean)
        self.log_scale.copy_(-torch.log(std + 1e-6))
        self.initialized.fill_(1)

    def forward(self, x):
        if self.initialized == 0:
            self._data_init(x)
        y = (x - self.loc) * self.log_scale.exp()
        logdet = self.log_scale.sum() * x.size(-1)
        return y, logdet


class Coupling(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.half = channels // 2
        self.net = nn.Sequential(
            nn.Conv1d(self.half, hidden, 3, padding=1),
            nn.ReLU(),
            nn.Conv1d(hidden, channels, 3, padding=1),
        )

    def forward(self, x):
        a, b = x.split(self.half, dim=1)
        shift, log_s = self.net(a).chunk(2, dim=1)
        log_s = torch.tanh(log_s)
        return torch.cat([a, b * log_s.exp() + shift], dim=1), log_s.sum(dim=(1, 2))


class FlowDecoder(nn.Module):
    def __init__(self, n_mels=8, hidden=16, n_flows=3):
        super().__init__()
        self.norms = nn.ModuleList(ActNorm(n_mels) for _ in range(n_flows))
        self.couplings = nn.ModuleList(Coupling(n_mels, hidden) for _ in range(n_flows))

    def forward(self, mel):
        total = 0.0
        for norm, coupling in zip(self.norms, self.couplings):
            mel, ld1 = norm(mel)
            mel, ld2 = coupling(mel)
            mel = mel.flip(1)
            total = total + ld1 + ld2
        return mel, total


FlowDecoder()(torch.randn(2, 8, 14))
