import torch
import torch.nn as nn
from torch import Tensor


def signed_log(wh: Tensor) -> Tensor:
    # compress large boxes, keep the sign
    mag = torch.log(1 + wh.abs())
    return torch.sign(wh) * mag


class BoxHead(nn.Module):
    def __init__(self, dim: int, n_anchors: int = 3):
        super().__init__()
        self.n_anchors = n_anchors
        self.reg = nn.Linear(dim, n_anchors * 4)
        self.obj = nn.Linear(dim, n_anchors)

    def forward(self, feat: Tensor):
        raw = self.reg(feat).unflatten(-1, (self.n_anchors, 4))
        xy, wh = raw.split(2, dim=-1)
        boxes = torch.cat([xy.sigmoid(), signed_log(wh)], dim=-1)
        return boxes, self.obj(feat)


BoxHead(12)(torch.randn(2, 5, 12))
