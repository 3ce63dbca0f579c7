"""Lecture 9, part two: training on folded random walks, which are the poor man's proteins."""

import torch
import torch.nn.functional as F

from contacts_model import GAP, PAD, ContactConfig, ContactNet

LENGTHS = [18, 23, 20]
ROWS = 5
CONTACT_BIN = 3  # all bins below it are contacts


def random_fold(length):
    """A chain in space: each residue is one step away from the one before."""
    steps = F.normalize(torch.randn(length, 3), dim=-1)
    return torch.cumsum(steps, dim=0)


def distance_bins(coords, bins):
    distance = torch.cdist(coords, coords)
    edges = torch.linspace(1.0, 6.0, bins - 1)
    return torch.bucketize(distance, edges)


def random_alignment(length, rows):
    protein = torch.randint(0, GAP, (length,))
    mutated = torch.randint(0, GAP + 1, (rows, length))
    alignment = torch.where(torch.rand(rows, length) < 0.3, mutated, protein)
    alignment[0] = protein
    return alignment


def make_batch(lengths, rows, bins):
    longest = max(lengths)
    alignments = torch.full((len(lengths), rows, longest), PAD)
    targets = torch.full((len(lengths), longest, longest), -100)
    for i, length in enumerate(lengths):
        alignments[i, :, :length] = random_alignment(length, rows)
        targets[i, :length, :length] = distance_bins(random_fold(length), bins)
    return alignments, targets


def loss_of(logits, targets):
    # cross_entropy wants the classes right after the batch
    return F.cross_entropy(logits.permute(0, 3, 1, 2), targets, ignore_index=-100)


@torch.no_grad()
def precision_at(logits, targets, lengths, separation=4):
    """How many of the L/2 surest long-range contacts are true?"""
    probability = logits.softmax(dim=-1)[..., :CONTACT_BIN].sum(dim=-1)
    true = (targets >= 0) & (targets < CONTACT_BIN)
    place = torch.arange(logits.shape[1])
    far = (place[None, :] - place[:, None]) >= separation
    result = []
    for b, length in enumerate(lengths):
        allowed = far & (targets[b] >= 0)
        best = probability[b][allowed].topk(length // 2).indices
        result.append(true[b][allowed][best].float().mean())
    return torch.stack(result)


def main():
    torch.manual_seed(9)
    cfg = ContactConfig()
    model = ContactNet(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(2):
        alignments, targets = make_batch(LENGTHS, ROWS, cfg.bins)
        logits = model(alignments)
        loss = loss_of(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}")
    model.eval()
    alignments, targets = make_batch(LENGTHS, ROWS, cfg.bins)
    print("precision:", precision_at(model(alignments), targets, LENGTHS))


if __name__ == "__main__":
    main()
