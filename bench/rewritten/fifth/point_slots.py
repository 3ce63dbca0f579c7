"""Objects in a point cloud: a set of learned slots asks the points."""
import torch
from torch import nn


class SlotReader(nn.Module):
    def __init__(self, dim=24, slots=5, heads=4):
        super().__init__()
        self.slots = nn.Parameter(0.02 * torch.randn(slots, dim))
        self.cross = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, points):
        batch = points.size(0)
        ask = self.slots.unsqueeze(0)
        ask = ask.repeat(batch, 1, 1)
        found, _ = self.cross(ask, points, points, need_weights=False)
        return self.norm(ask + found)


class BoxNet(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.lift = nn.Sequential(nn.Linear(3, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.read = SlotReader(dim)
        self.box = nn.Linear(dim, 6)

    def forward(self, cloud):
        return self.box(self.read(self.lift(cloud)))


if __name__ == "__main__":
    torch.manual_seed(25)
    boxes = BoxNet()(torch.randn(4, 60, 3))
    print(boxes.shape, boxes.square().mean())
