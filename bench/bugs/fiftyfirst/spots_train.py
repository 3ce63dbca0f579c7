"""Detection of boxes by their centres: a map of bumps for each kind, and a size at each place."""
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from spots_data import BoxesDataset, collate
from spots_model import CentreDetector


@dataclass
class SpotsConfig:
    side: int = 64
    stride: int = 4
    n_kinds: int = 3
    widths: tuple = (16, 32, 64)
    groups: int = 8
    batch_size: int = 6
    lr: float = 3e-3
    top: int = 5


def focal_heat_loss(logits, heat, alpha=2.0, beta=4.0):
    each = F.binary_cross_entropy_with_logits(logits, heat, reduction="none")
    p = torch.sigmoid(logits)
    peak = heat > 0.9
    weight = torch.where(peak, (1 - p) ** alpha, p**alpha * (1 - heat) ** beta)
    return (weight.detach() * each).sum() / peak.sum().clamp(min=1)


def size_loss(size, boxes, real, stride):
    b, _, h, w = size.shape
    place = (boxes[..., :2] / stride).long()
    cell = place[..., 1] * w + place[..., 0]
    found = size.flatten(2).transpose(1, 2)
    found = found.gather(1, cell.unsqueeze(-1).expand(-1, -1, 2))
    wanted = boxes[..., 2:] / stride
    return F.l1_loss(found[real], wanted[real])


@torch.no_grad()
def decode(out, cfg):
    """The boxes at the highest peaks, [B, top, 4], their scores and kinds."""
    p = torch.sigmoid(out["heat"])
    p = p * (F.max_pool2d(p, 3, stride=1, padding=1) == p)
    b, k, h, w = p.shape
    score, place = p.flatten(1).topk(cfg.top)
    kind, cell = place // (h * w), place % (h * w)
    row, col = cell // w, cell % w
    each = torch.arange(b)[:, None]
    size = out["size"][each, :, row, col]
    centre = torch.stack([col, row], dim=-1) + 0.5
    return torch.cat([centre, size], dim=-1) * cfg.stride, score, kind


class SpotsTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = CentreDetector(cfg)
        data, join = BoxesDataset(cfg, 36), partial(collate, cfg=cfg)
        self.loader = DataLoader(data, cfg.batch_size, shuffle=True, collate_fn=join)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def loss(self, batch):
        out = self.model(batch["image"])
        heat = focal_heat_loss(out["heat"], batch["heat"])
        return heat + 0.1 * size_loss(out["size"], batch["boxes"], batch["real"], self.cfg.stride)

    def fit(self, epochs):
        for epoch in range(epochs):
            for batch in self.loader:
                loss = self.loss(batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.3f}")


if __name__ == "__main__":
    torch.manual_seed(3)
    trainer = SpotsTrainer(SpotsConfig())
    trainer.fit(2)
    images = next(iter(trainer.loader))["image"]
    boxes, score, kind = decode(trainer.model.eval()(images), trainer.cfg)
    print(boxes.shape, score[0, 0].item(), kind[0].tolist())
