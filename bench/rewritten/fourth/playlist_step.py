import torch
import torch.nn as nn
import torch.nn.functional as F


class TrackTower(nn.Module):
    def __init__(self, tracks: int, artists: int, dim: int):
        super().__init__()
        self.track = nn.Embedding(tracks, dim)
        self.artist = nn.Embedding(artists, dim)
        self.lin = nn.Linear(2 * dim, dim)

    def forward(self, track, artist):
        both = torch.cat((self.track(track), self.artist(artist)), dim=-1)
        return self.lin(both)


class SessionTower(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, played):
        _, last = self.gru(played)
        return last[-1]


class PlaylistModel(nn.Module):
    """Will the listener skip the next track?"""

    def __init__(self, tracks: int = 40, artists: int = 9, dim: int = 12):
        super().__init__()
        self.tower = TrackTower(tracks, artists, dim)
        self.session = SessionTower(dim)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, hist, hist_artist, nxt, nxt_artist):
        s = self.session(self.tower(hist, hist_artist))
        return (s * self.tower(nxt, nxt_artist)).sum(-1) + self.bias


def training_step(model: PlaylistModel, batch: dict) -> torch.Tensor:
    skipped = batch["skipped"]
    score = model(batch["hist"], batch["hist_artist"], batch["next"], batch["next_artist"])
    p_skip = score.sigmoid()

    loss = F.binary_cross_entropy(p_skip, skipped)
    penalty = 1e-4 * sum(p.square().sum() for p in model.session.parameters())
    return loss + penalty


training_step(
    PlaylistModel(),
    {
        "hist": torch.randint(0, 40, (3, 5)),
        "hist_artist": torch.randint(0, 9, (3, 5)),
        "next": torch.randint(0, 40, (3,)),
        "next_artist": torch.randint(0, 9, (3,)),
        "skipped": torch.rand(3).round(),
    },
)
