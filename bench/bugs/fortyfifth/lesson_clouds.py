"""
Lesson 9, part 2: a set transformer that names the solid and marks the points of its top half.

Exercise: change SETTINGS and watch which shapes change with them.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from lesson_blocks import InducedSetAttentionBlock, PoolingByAttention, SetAttentionBlock

SETTINGS = {
    "points": 40,
    "coordinates": 3,
    "neighbours": 6,
    "dim": 32,
    "heads": 4,
    "inducing": 8,
    "seeds": 2,
    "classes": ["sphere", "cube", "cylinder"],
    "batch": 6,
}


# ---------------------------------------------------------------- data

def sample_solid(kind, n):
    p = torch.randn(n, 3)
    if kind == 0:
        return p / p.norm(dim=1, keepdim=True)
    if kind == 1:
        p = p.clamp(-1, 1)
        axis = torch.randint(0, 3, (n,))
        p[torch.arange(n), axis] = torch.randint(0, 2, (n,)) * 2.0 - 1.0      # one of the two faces
        return p
    radius = p[:, :2].norm(dim=1, keepdim=True)
    return torch.cat([p[:, :2] / radius, p[:, 2:].clamp(-1, 1)], dim=1)


def random_rotation(batch):
    """Rotations around the z axis, one for each cloud: (B, 3, 3)."""
    angle = torch.rand(batch) * 6.283
    c, s = angle.cos(), angle.sin()
    zero, one = torch.zeros(batch), torch.ones(batch)
    rows = [torch.stack([c, -s, zero], dim=1), torch.stack([s, c, zero], dim=1), torch.stack([zero, zero, one], dim=1)]
    return torch.stack(rows, dim=1)


def make_batch(settings):
    n = settings["points"]
    labels = torch.randint(0, len(settings["classes"]), (settings["batch"],))
    clouds = torch.stack([sample_solid(int(k), n) for k in labels])
    clouds = clouds @ random_rotation(len(labels))
    top = (clouds[..., 2] > 0).long()
    # some clouds have fewer points; the rest of the row is padding
    counts = torch.randint(n // 2, n + 1, (len(labels),))
    mask = torch.arange(n) < counts[:, None]
    clouds = clouds * mask.unsqueeze(-1)
    return clouds, mask, labels, top


# ---------------------------------------------------------------- model

class LocalFeatures(nn.Module):
    """What a point's neighbours look like from it (as in DGCNN)."""

    def __init__(self, coordinates, k, dim):
        super().__init__()
        self.k = k
        self.edge = nn.Sequential(nn.Linear(2 * coordinates, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, points):
        distance = torch.cdist(points, points)                              # (B, N, N)
        nearest = distance.topk(self.k, dim=-1, largest=False).indices      # (B, N, k)
        batch = torch.arange(points.size(0))[:, None, None]
        neighbours = points[batch, nearest]                                 # (B, N, k, 3)
        centre = points.unsqueeze(2).expand(-1, -1, self.k, -1)
        edges = torch.cat([centre, neighbours - centre], dim=-1)            # (B, N, k, 6)
        return self.edge(edges).amax(dim=2)                                 # (B, N, dim)


class SetTransformer(nn.Module):
    def __init__(self, settings):
        super().__init__()
        dim, heads = settings["dim"], settings["heads"]
        self.local = LocalFeatures(settings["coordinates"], settings["neighbours"], dim)
        self.encoder = nn.ModuleList([
            InducedSetAttentionBlock(dim, dim, heads, settings["inducing"]),
            InducedSetAttentionBlock(dim, dim, heads, settings["inducing"]),
        ])
        self.pool = PoolingByAttention(dim, heads, settings["seeds"])
        self.between_seeds = SetAttentionBlock(dim, dim, heads)
        self.classify = nn.Linear(settings["seeds"] * dim, len(settings["classes"]))
        self.segment = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU(), nn.Linear(dim, 2))

    def forward(self, clouds, mask):
        h = self.local(clouds)
        for block in self.encoder:
            h = block(h, mask)
        seeds = self.between_seeds(self.pool(h, mask))                      # (B, K, D)
        class_logits = self.classify(seeds.flatten(1))                      # (B, classes)
        whole = seeds.mean(dim=1, keepdim=True).expand(-1, h.size(1), -1)   # (B, N, D)
        point_logits = self.segment(torch.cat([h, whole], dim=-1))          # (B, N, 2)
        return class_logits, point_logits


def loss_of(model, clouds, mask, labels, top):
    class_logits, point_logits = model(clouds, mask)
    by_class = F.cross_entropy(class_logits, labels)
    by_point = F.cross_entropy(point_logits[mask], top[mask])
    return by_class + 0.5 * by_point


def order_does_not_matter(model, clouds, mask):
    """The whole point of the lesson: shuffled points give the same answer."""
    order = torch.randperm(clouds.size(1))
    a, _ = model(clouds, mask)
    b, _ = model(clouds[:, order], mask[:, order])
    return (a - b).abs().max().item()


def lesson():
    torch.manual_seed(9)
    model = SetTransformer(SETTINGS)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(2):
        batch = make_batch(SETTINGS)
        loss = loss_of(model, *batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}  loss {loss.item():.3f}")
    clouds, mask, labels, top = make_batch(SETTINGS)
    model.eval()
    with torch.no_grad():
        print("difference after a shuffle:", order_does_not_matter(model, clouds, mask))
        class_logits, _ = model(clouds, mask)
    confidence, guess = class_logits.softmax(dim=1).max(dim=1)
    for c, g, l in zip(confidence, guess, labels):
        print(f"{SETTINGS['classes'][g]:10s} {c.item():.2f}  (is a {SETTINGS['classes'][l]})")


lesson()
