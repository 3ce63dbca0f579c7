"""Moods in clips: words, sounds and faces, joined by attention across them."""

import torch
import torch.nn as nn
import torch.nn.functional as F

HPARAMS = dict(d=32, heads=4, text_vocab=500, audio_dim=34, face=40, n_moods=6, layers=2)


class TextBranch(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.embed = nn.Embedding(hp["text_vocab"], 50)
        self.position = nn.Parameter(torch.randn(1, 64, 50) * 0.02)
        self.proj = nn.Linear(50, hp["d"])
        layer = nn.TransformerEncoderLayer(hp["d"], hp["heads"], 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, hp["layers"])

    def forward(self, ids):
        x = self.embed(ids) + self.position[:, : ids.size(1)]
        return self.encoder(self.proj(x), src_key_padding_mask=ids.eq(0))


class AudioBranch(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.norm = nn.BatchNorm1d(hp["audio_dim"])
        self.conv = nn.Conv1d(hp["audio_dim"], 28, 5, stride=2, padding=2)
        self.lstm = nn.LSTM(28, hp["d"] // 2, bidirectional=True, batch_first=True)

    def forward(self, frames):
        x = self.norm(frames.permute(0, 2, 1))
        x = F.relu(self.conv(x)).permute(0, 2, 1)
        out, (h, _) = self.lstm(x)
        return out, torch.cat([h[0], h[1]], dim=-1)


class FaceBranch(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(16 * 10 * 10, hp["d"]),
        )
        self.temporal = nn.GRUCell(hp["d"], hp["d"])

    def forward(self, clips):
        b, t = clips.shape[:2]
        x = self.cnn(clips.flatten(0, 1)).view(b, t, -1)
        state = x.new_zeros(b, x.size(-1))
        states = []
        for i in range(t):
            state = self.temporal(x[:, i], state)
            states.append(state)
        return torch.stack(states, dim=1)


class CrossModal(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.norm = nn.LayerNorm(d)

    def forward(self, x, other):
        out, _ = self.attn(x, other, other)
        return self.norm(x + out)


class TensorFusion(nn.Module):
    """Every product of one number of each kind, as tensor fusion networks have it."""

    def __init__(self, d, rank=6, out=24):
        super().__init__()
        self.factors = nn.ParameterList([nn.Parameter(torch.randn(rank, d + 1, out) * 0.1) for _ in range(3)])
        self.weights = nn.Parameter(torch.randn(1, rank))

    def forward(self, *parts):
        product = None
        for part, factor in zip(parts, self.factors):
            part = torch.cat([part, torch.ones(part.size(0), 1)], dim=1)
            projected = torch.matmul(part, factor)
            product = projected if product is None else product * projected
        return torch.matmul(self.weights, product.permute(1, 0, 2)).squeeze(1)


class MoodNet(nn.Module):
    def __init__(self, hp):
        super().__init__()
        d = hp["d"]
        self.text, self.audio, self.face = TextBranch(hp), AudioBranch(hp), FaceBranch(hp)
        self.cross = nn.ModuleDict({kind: CrossModal(d, hp["heads"]) for kind in ("audio", "face")})
        self.fusion = TensorFusion(d)
        self.gate = nn.Linear(3 * d, 3)
        self.classifier = nn.Sequential(nn.Linear(24 + d, 40), nn.ReLU(), nn.Linear(40, hp["n_moods"]))

    def forward(self, ids, frames, clips):
        words = self.text(ids)
        sounds, voice = self.audio(frames)
        faces = self.face(clips)
        words = self.cross["audio"](words, sounds)
        words = self.cross["face"](words, faces)
        sentence, look = words.mean(dim=1), faces[:, -1]
        parts = torch.stack([sentence, voice, look], dim=1)
        gates = torch.softmax(self.gate(parts.flatten(1)), dim=-1)
        mixed = torch.bmm(gates.unsqueeze(1), parts).squeeze(1)
        fused = self.fusion(sentence, voice, look)
        return self.classifier(torch.cat([fused, mixed], dim=-1))


def train_step(model, batch):
    logits = model(batch["ids"], batch["frames"], batch["clips"])
    return F.cross_entropy(logits, batch["mood"])


if __name__ == "__main__":
    model = MoodNet(HPARAMS)
    batch = {
        "ids": torch.randint(1, 500, (4, 15)),
        "frames": torch.randn(4, 60, 34),
        "clips": torch.randn(4, 7, 1, 40, 40),
        "mood": torch.randint(0, 6, (4,)),
    }
    train_step(model, batch).backward()
