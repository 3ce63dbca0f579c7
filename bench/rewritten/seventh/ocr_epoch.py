"""Reads the characters of number plates, one class for each slot."""
import torch
import torch.nn.functional as F
from torch import nn

BLANK = 0
CHARS = 37


def run_epoch(reader, batches, opt=None):
    seen, total = 0, 0.0
    for plates, text in batches:
        scores = reader(plates)                              # (batch, slots, chars)
        flat = scores.flatten(0, 1)
        logp = F.log_softmax(flat, dim=-1)
        loss = F.nll_loss(logp, text.flatten(), ignore_index=BLANK)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
        total += float(loss.detach()) * len(plates)
        seen += len(plates)
    return total / seen


def fake_plates(n, slots):
    return torch.rand(n, slots, 24), torch.randint(0, CHARS, (n, slots))


def main():
    torch.manual_seed(0)
    reader = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, CHARS))
    opt = torch.optim.AdamW(reader.parameters(), lr=1e-2)
    train = [fake_plates(8, 7) for _ in range(5)]
    test = [fake_plates(8, 7) for _ in range(2)]
    for epoch in range(3):
        print(epoch, run_epoch(reader, train, opt), run_epoch(reader, test))


if __name__ == "__main__":
    main()
