"""Where people walk next: an LSTM for each of them, a grid of who is near, many futures."""

import torch
import torch.nn as nn
from torch import Tensor


class SocialPooling(nn.Module):
    def __init__(self, hidden: int, grid: int = 4, size: float = 2.0, out: int = 20):
        super().__init__()
        self.grid, self.size, self.hidden = grid, size, hidden
        self.conv = nn.Sequential(nn.Conv2d(hidden, 16, 3), nn.ReLU(), nn.Conv2d(16, 8, (2, 1)), nn.ReLU())
        self.fc = nn.Linear(8 * 1 * 2, out)

    def forward(self, states: Tensor, places: Tensor) -> Tensor:
        scene, people, _ = states.shape
        offset = places.unsqueeze(1) - places.unsqueeze(2)
        cell = ((offset / self.size + 0.5) * self.grid).long().clamp(0, self.grid - 1)
        index = cell[..., 0] * self.grid + cell[..., 1]
        tensor = torch.zeros(scene, people, self.grid * self.grid, self.hidden)
        source = states.unsqueeze(1).expand(-1, people, -1, -1)
        tensor = tensor.scatter_add(2, index.unsqueeze(-1).expand(-1, -1, -1, self.hidden), source)
        maps = tensor.transpose(2, 3).reshape(scene * people, self.hidden, self.grid, self.grid)
        return self.fc(self.conv(maps).flatten(1)).view(scene, people, -1)


class Encoder(nn.Module):
    def __init__(self, embed: int = 14, hidden: int = 30):
        super().__init__()
        self.spatial = nn.Linear(2, embed)
        self.lstm = nn.LSTM(embed, hidden)
        self.hidden = hidden

    def forward(self, tracks: Tensor) -> Tensor:
        scene, people, steps, _ = tracks.shape
        x = torch.relu(self.spatial(tracks)).flatten(0, 1).transpose(0, 1)
        _, (h, _) = self.lstm(x)
        return h[-1].view(scene, people, self.hidden)


class Decoder(nn.Module):
    def __init__(self, context: int, hidden: int = 26, steps: int = 6):
        super().__init__()
        self.init_h, self.init_c = nn.Linear(context, hidden), nn.Linear(context, hidden)
        self.cell = nn.LSTMCell(2, hidden)
        self.step = nn.Linear(hidden, 2)
        self.steps = steps

    def forward(self, context: Tensor, last: Tensor) -> Tensor:
        h, c = torch.tanh(self.init_h(context)), torch.tanh(self.init_c(context))
        moves = []
        move = torch.zeros_like(last)
        for _ in range(self.steps):
            h, c = self.cell(move, (h, c))
            move = self.step(h)
            moves.append(move)
        return last.unsqueeze(1) + torch.stack(moves, dim=1).cumsum(dim=1)


class PathNet(nn.Module):
    def __init__(self, samples: int = 3, noise: int = 4, width: int = 22):
        super().__init__()
        self.samples, self.noise = samples, noise
        self.encoder = Encoder()
        self.pool = SocialPooling(self.encoder.hidden)
        self.mix = nn.Sequential(nn.Linear(30 + 20, width), nn.LayerNorm(width), nn.PReLU())
        self.decoder = Decoder(width + noise)
        self.critic = nn.GRU(2, 18, batch_first=True)
        self.judge = nn.Linear(18, 1)

    def forward(self, tracks: Tensor) -> tuple[Tensor, Tensor]:
        scene, people = tracks.shape[:2]
        last = tracks[:, :, -1]
        states = self.encoder(tracks)
        mixed = self.mix(torch.cat([states, self.pool(states, last)], dim=-1))
        mixed = mixed.unsqueeze(0).expand(self.samples, -1, -1, -1)
        z = torch.randn(self.samples, scene, 1, self.noise).expand(-1, -1, people, -1)
        context = torch.cat([mixed, z], dim=-1).flatten(0, 2)
        start = last.unsqueeze(0).expand(self.samples, -1, -1, -1).flatten(0, 2)
        paths = self.decoder(context, start)
        _, h = self.critic(paths)
        return paths.view(self.samples, scene, people, -1, 2), self.judge(h.squeeze(0))


class Variety(nn.Module):
    def __init__(self, net: PathNet):
        super().__init__()
        self.net = net

    def forward(self, tracks: Tensor, future: Tensor) -> Tensor:
        paths, judged = self.net(tracks)
        error = (paths - future.unsqueeze(0)).norm(dim=-1).mean(dim=(2, 3))
        best = error.min(dim=0).values
        return best.mean() + nn.functional.softplus(-judged).mean()


def main():
    variety = Variety(PathNet())
    return variety(torch.randn(2, 5, 8, 2), torch.randn(2, 5, 6, 2))


if __name__ == "__main__":
    main()
