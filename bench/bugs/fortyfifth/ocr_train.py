import argparse

import torch
from torch.utils.data import DataLoader

from ocr_data import ALPHABET, BLANK, LineDataset, collate
from ocr_model import CRNN, CTCHead


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--batch-size", type=int, default=4)
    p.add_argument("--hidden", type=int, default=48)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--steps", type=int, default=2)
    return p.parse_args()


def edit_distance(a, b):
    row = torch.arange(len(b) + 1)
    for i, x in enumerate(a):
        new = torch.empty_like(row)
        new[0] = i + 1
        for j, y in enumerate(b):
            new[j + 1] = min(row[j + 1] + 1, new[j] + 1, row[j] + int(x != y))
        row = new
    return int(row[-1])


def evaluate(model, ctc, loader):
    model.eval()
    errors, total = 0, 0
    with torch.no_grad():
        for images, _, targets, lengths in loader:
            predictions = ctc.decode(model(images))
            references = targets.split(lengths.tolist())
            for p, r in zip(predictions, references):
                errors += edit_distance(p, r)
                total += len(r)
    return errors / total


def main():
    args = get_args()
    torch.manual_seed(0)
    train = DataLoader(LineDataset(8), batch_size=args.batch_size, collate_fn=collate)
    val = DataLoader(LineDataset(4, seed=1), batch_size=args.batch_size, collate_fn=collate)
    model = CRNN(n_classes=len(ALPHABET) + 1, hidden=args.hidden)
    ctc = CTCHead(blank=BLANK)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for step, (images, widths, targets, lengths) in enumerate(train):
        if step == args.steps:
            break
        loss = ctc(model(images), targets, lengths)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        print(f"step {step}: ctc {loss.item():.3f}, widest {int(widths.max())}")
    print("CER", evaluate(model, ctc, val))


if __name__ == "__main__":
    main()
