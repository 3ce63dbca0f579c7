"""python music_train.py [--length 24] [--layers 2]"""
import argparse

import torch
from torch.utils.data import DataLoader

from music_data import N_PITCH, Melodies
from music_model import MusicConfig, MusicTransformer


def pitch_histogram(events):
    """Share of each pitch class in a batch of events."""
    pitch = events[..., 0].flatten() % 12
    counts = torch.zeros(12).scatter_add(0, pitch, torch.ones(pitch.numel()))
    return counts / counts.sum()


def interval_matrix(events):
    """How often pitch i is followed by pitch j."""
    first, second = events[:, :-1, 0], events[:, 1:, 0]
    flat = first * N_PITCH + second
    return torch.bincount(flat.flatten(), minlength=N_PITCH ** 2).view(N_PITCH, N_PITCH)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=24)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=6)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    data = Melodies(24, args.length, args.seed)
    loader = DataLoader(data, batch_size=args.batch, shuffle=True)
    model = MusicTransformer(MusicConfig(n_layers=args.layers))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 10))

    for step, (events, beat) in zip(range(args.steps), loader):
        loss, parts = model.loss(events, beat)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(step, f"{loss.item():.3f}", [f"{p.item():.2f}" for p in parts])

    model.eval()
    events, beat = next(iter(loader))
    song = model.generate(events[:, :8], beat[:, :8], steps=6)
    drift = (pitch_histogram(song) - pitch_histogram(events)).abs().sum()
    seen = interval_matrix(events) > 0
    made = interval_matrix(song) > 0
    new = made & ~seen
    print("drift", round(drift.item(), 3), "new intervals", int(new.sum()))


if __name__ == "__main__":
    main()
