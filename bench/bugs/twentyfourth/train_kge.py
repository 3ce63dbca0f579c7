import torch
import torch.nn as nn
from kge import MODELS, create_model

NUM_ENTITIES, NUM_RELATIONS = 200, 12


def make_batches(n=4, size=32):
    for _ in range(n):
        head = torch.randint(0, NUM_ENTITIES, (size,))
        rel = torch.randint(0, 2 * NUM_RELATIONS, (size,))
        tails = [torch.randint(0, NUM_ENTITIES, (3,)) for _ in range(size)]
        yield head, rel, tails


def one_to_all(tails, smoothing=0.1):
    targets = torch.zeros(len(tails), NUM_ENTITIES)
    targets.scatter_(1, torch.stack(tails), 1.0)
    return (1 - smoothing) * targets + 1.0 / NUM_ENTITIES


def ranks(model, head, rel, tail):
    scores = model(head, rel)
    gold = scores.gather(1, tail.unsqueeze(1))
    return (scores > gold).sum(dim=1) + 1


def run(name):
    model = create_model(name, NUM_ENTITIES, NUM_RELATIONS)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for head, rel, tails in make_batches():
        loss = criterion(model(head, rel), one_to_all(tails))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    head, rel, tails = next(make_batches(1))
    return (1.0 / ranks(model, head, rel, torch.stack(tails)[:, 0])).mean().item()


if __name__ == "__main__":
    for name in MODELS:
        print(name, run(name))
