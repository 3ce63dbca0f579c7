"""Lesson 9, the exercise: classify, segment and rebuild clouds of simple shapes.

Run it with `python lesson_train.py`; everything is made up on the fly.
"""

import math

import torch
import torch.nn.functional as F

from lesson_pointnet import AutoEncoder, Classifier, Segmenter, chamfer, orthogonality

KINDS = ["sphere", "box", "torus"]
PARTS = 2  # lower and upper half
POINTS = 40
BATCH = 6


def sphere(n):
    p = torch.randn(n, 3)
    return p / p.norm(dim=1, keepdim=True)


def box(n):
    p = torch.rand(n, 3) * 2 - 1
    side = p.abs().argmax(dim=1)
    rows = torch.arange(n)
    p[rows, side] = p[rows, side].sign()
    return p


def torus(n, big=0.8, small=0.3):
    u, v = torch.rand(2, n) * 2 * math.pi
    ring = big + small * v.cos()
    return torch.stack([ring * u.cos(), ring * u.sin(), small * v.sin()], dim=1)


SHAPES = [sphere, box, torus]


def random_turn():
    """A rotation around the vertical axis."""
    a = torch.rand(()) * 2 * math.pi
    turn = torch.eye(3)
    turn[:2, :2] = torch.stack([torch.stack([a.cos(), -a.sin()]), torch.stack([a.sin(), a.cos()])])
    return turn


def crop(cloud, part):
    """What a depth camera in front would see: points with a small y, others are repeated."""
    limit = cloud[:, 1].median() + 0.5
    visible = cloud[:, 1] < limit
    cloud, part = cloud[visible], part[visible]
    again = torch.randint(0, len(cloud), (POINTS,))
    return cloud[again], part[again]


def make_batch(batch):
    clouds, parts = [], []
    kinds = torch.randint(0, len(KINDS), (batch,))
    for kind in kinds.tolist():
        cloud = SHAPES[kind](2 * POINTS)
        part = (cloud[:, 2] > 0).long()
        cloud, part = crop(cloud @ random_turn().T, part)
        clouds.append(cloud + 0.02 * torch.randn_like(cloud))
        parts.append(part)
    clouds = torch.stack(clouds)
    clouds = clouds - clouds.mean(dim=1, keepdim=True)
    radius = clouds.norm(dim=2).amax(dim=1)
    return clouds / radius[:, None, None], kinds, torch.stack(parts)


def mean_iou(predicted, parts):
    """Intersection over union of each part, averaged."""
    scores = []
    for part in range(PARTS):
        a, b = predicted == part, parts == part
        both = (a & b).sum(dim=1).float()
        either = (a | b).sum(dim=1).float()
        scores.append(torch.where(either > 0, both / either, torch.ones(())))
    return torch.stack(scores, dim=1).mean()


def lesson_classify():
    model = Classifier(len(KINDS))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        clouds, kinds, _ = make_batch(BATCH)
        logits, matrix = model(clouds)
        loss = F.cross_entropy(logits, kinds) + 0.001 * orthogonality(matrix)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    accuracy = (logits.argmax(dim=1) == kinds).float().mean()
    # which kinds are taken for which
    confusion = torch.zeros(len(KINDS), len(KINDS))
    confusion.index_put_((kinds, logits.argmax(dim=1)), torch.ones(BATCH), accumulate=True)
    print("classify:", loss.item(), accuracy.item(), confusion.tolist())


def lesson_segment():
    model = Segmenter(len(KINDS), PARTS)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        clouds, kinds, parts = make_batch(BATCH)
        logits, matrix = model(clouds, kinds)
        loss = F.cross_entropy(logits, parts) + 0.001 * orthogonality(matrix)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("segment:", loss.item(), mean_iou(logits.argmax(dim=1), parts).item())


def lesson_rebuild():
    model = AutoEncoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        clouds, _, _ = make_batch(BATCH)
        loss = chamfer(model(clouds), clouds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("rebuild:", loss.item())


if __name__ == "__main__":
    torch.manual_seed(3)
    lesson_classify()
    lesson_segment()
    lesson_rebuild()
