import argparse
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from kws_model import DSCNN

WANTED = ["yes", "no", "up", "down", "_silence_", "_unknown_"]


def get_flags():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample_rate", type=int, default=4000)
    parser.add_argument("--clip_ms", type=int, default=500)
    parser.add_argument("--examples", type=int, default=24)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    parser.add_argument("--time_shift", type=int, default=100)
    parser.add_argument("--background_volume", type=float, default=0.1)
    parser.add_argument("--mixup", type=float, default=0.3)
    return parser.parse_args([])


def synth_clips(flags):
    """A chirp for each class, at a random pitch."""
    n = flags.sample_rate * flags.clip_ms // 1000
    t = torch.arange(n) / flags.sample_rate
    labels = torch.arange(flags.examples) % len(WANTED)
    pitch = 200.0 + 150.0 * labels + 40.0 * torch.rand(flags.examples)
    sweep = 1.0 + 0.5 * t * labels[:, None]
    wav = torch.sin(2 * math.pi * pitch[:, None] * sweep * t)
    wav[labels == WANTED.index("_silence_")] = 0.0
    return wav, labels


def augment(wav, flags):
    shift = torch.randint(-flags.time_shift, flags.time_shift + 1, (wav.shape[0],))
    index = (torch.arange(wav.shape[1]) - shift[:, None]) % wav.shape[1]
    wav = wav.gather(1, index)
    volume = torch.rand(wav.shape[0], 1) * flags.background_volume
    return wav + volume * torch.randn_like(wav)


def mix(wav, labels, amount):
    target = nn.functional.one_hot(labels, len(WANTED)).float()
    lam = 1.0 - amount * torch.rand(wav.shape[0], 1)
    order = torch.randperm(wav.shape[0])
    return lam * wav + (1 - lam) * wav[order], lam * target + (1 - lam) * target[order]


def evaluate(model, loader):
    model.eval()
    confusion = torch.zeros(len(WANTED), len(WANTED), dtype=torch.long)
    with torch.no_grad():
        for wav, labels in loader:
            predicted = model(wav).argmax(dim=1)
            confusion.index_put_((labels, predicted), torch.tensor(1), accumulate=True)
    accuracy = confusion.diagonal().sum() / confusion.sum()
    return accuracy.item(), confusion


def main():
    flags = get_flags()
    torch.manual_seed(59185)
    wav, labels = synth_clips(flags)
    train, test = random_split(TensorDataset(wav, labels), [16, flags.examples - 16])
    train_loader = DataLoader(train, batch_size=flags.batch_size, shuffle=True)
    test_loader = DataLoader(test, batch_size=flags.batch_size)

    model = DSCNN(len(WANTED))
    counts = torch.bincount(labels, minlength=len(WANTED))
    criterion = nn.CrossEntropyLoss(weight=counts.sum() / (len(WANTED) * counts.float()))
    optimizer = torch.optim.SGD(model.parameters(), lr=flags.learning_rate, momentum=0.9)
    for step, (x, y) in enumerate(train_loader):
        x, target = mix(augment(x, flags), y, flags.mixup)
        loss = criterion(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step, "cross entropy", round(loss.item(), 3))
    accuracy, confusion = evaluate(model, test_loader)
    print("accuracy", accuracy)
    print(confusion)


if __name__ == "__main__":
    main()
