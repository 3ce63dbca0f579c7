import torch
import torch.nn as nn


class StationEmbedding(nn.Module):
    """Observations of one station plus what is fixed about it (lat, lon, height)."""

    def __init__(self, n_obs: int, n_static: int, width: int):
        super().__init__()
        self.obs = nn.Linear(n_obs, width)
        self.static = nn.Linear(n_static, width)

    def forward(self, obs: torch.Tensor, static: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.obs(obs) + self.static(static))


class StationMixer(nn.Module):
    def __init__(self, width: int, inner: int, temperature: float = 0.05):
        super().__init__()
        self.inner = inner
        self.temperature = temperature
        self.in_proj = nn.Linear(width, 3 * inner)
        self.out_proj = nn.Linear(inner, width)

    def mix(self, h: torch.Tensor) -> torch.Tensor:
        q, k, v = torch.split(self.in_proj(h), self.inner, dim=-1)

        sim = torch.bmm(q, k.permute(0, 2, 1))
        sim = sim.mul(self.temperature)
        w = torch.softmax(sim, dim=2)

        return torch.bmm(w, v)

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return h + self.out_proj(self.mix(h))


class NowcastNet(nn.Module):
    def __init__(self, n_obs: int = 6, n_static: int = 3, width: int = 20, depth: int = 2):
        super().__init__()
        self.embed = StationEmbedding(n_obs, n_static, width)
        self.mixers = nn.Sequential(*[StationMixer(width, 12) for _ in range(depth)])
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2))

    def forward(self, obs, static):
        h = self.mixers(self.embed(obs, static))
        return self.head(h)


NowcastNet()(torch.randn(3, 8, 6), torch.randn(3, 8, 3))
