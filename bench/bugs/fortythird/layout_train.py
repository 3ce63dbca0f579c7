"""Smoke training of the layout detector on generated pages; CI runs it before each release."""
import logging
from typing import Tuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from layout_boxes import decode, encode, make_anchors, match, nms
from layout_model import LayoutConfig, LayoutDetector

log = logging.getLogger("layout")


class GeneratedPages(Dataset):
    """White pages with one grey block for each region."""

    def __init__(self, cfg: LayoutConfig, n: int):
        self.cfg, self.n = cfg, n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Tuple[Tensor, Tensor, Tensor]:
        g = torch.Generator().manual_seed(i)
        h, w = self.cfg.page
        page = torch.ones(1, h, w)
        count = int(torch.randint(2, 5, (1,), generator=g))
        rows = torch.linspace(4, h - 4, count + 1).long()
        boxes, labels = [], []
        for y1, y2 in zip(rows[:-1].tolist(), rows[1:].tolist()):
            x1, x2 = sorted(torch.randint(2, w - 2, (2,), generator=g).tolist())
            x2 = max(x2, x1 + 8)
            label = int(torch.randint(0, len(self.cfg.classes), (1,), generator=g))
            page[0, y1:y2 - 2, x1:x2] = 0.2 + 0.15 * label
            boxes.append([x1, y1, x2, y2 - 2])
            labels.append(label + 1)
        return page, torch.tensor(boxes).float(), torch.tensor(labels)


def collate(batch):
    pages, boxes, labels = zip(*batch)
    return torch.stack(pages), boxes, labels


def focal_loss(logits: Tensor, target: Tensor, alpha: float = 0.25, gamma: float = 2.0) -> Tensor:
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    p = logits.sigmoid()
    p_t = p * target + (1 - p) * (1 - target)
    weight = alpha * target + (1 - alpha) * (1 - target)
    return (weight * (1 - p_t) ** gamma * ce).sum()


def detection_loss(cfg: LayoutConfig, out, boxes, labels, anchors: Tensor) -> Tuple[Tensor, Tensor]:
    class_loss = box_loss = out["logits"].new_zeros(())
    positives = 0
    for logits, deltas, page_boxes, page_labels in zip(out["logits"], out["deltas"], boxes, labels):
        classes, matched = match(page_boxes, page_labels, anchors, cfg.low, cfg.high)
        used, positive = classes >= 0, classes > 0
        target = F.one_hot(classes.clamp(min=0), len(cfg.classes) + 1)[:, 1:].float()
        class_loss = class_loss + focal_loss(logits[used], target[used])
        wanted = encode(matched[positive], anchors[positive])
        box_loss = box_loss + F.smooth_l1_loss(deltas[positive], wanted, reduction="sum", beta=0.1)
        positives += int(positive.sum())
    return class_loss / max(positives, 1), box_loss / max(positives, 1)


@torch.no_grad()
def detect(model: LayoutDetector, page: Tensor, top: int = 20):
    model.eval()
    out = model(page.unsqueeze(0))
    anchors = make_anchors(out["shapes"], model.strides, model.cfg.scale, model.cfg.ratios)
    scores, classes = out["logits"][0].sigmoid().max(dim=-1)
    scores, index = scores.topk(top)
    boxes = decode(out["deltas"][0, index], anchors[index])
    keep = nms(boxes, scores, 0.5)
    return boxes[keep], scores[keep], classes[index][keep]


def train(cfg: LayoutConfig, steps: int) -> LayoutDetector:
    torch.manual_seed(0)
    model = LayoutDetector(cfg)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    loader = DataLoader(GeneratedPages(cfg, 8), batch_size=3, collate_fn=collate)
    for step, (pages, boxes, labels) in zip(range(steps), loader):
        out = model(pages)
        anchors = make_anchors(out["shapes"], model.strides, cfg.scale, cfg.ratios)
        class_loss, box_loss = detection_loss(cfg, out, boxes, labels, anchors)
        loss = class_loss + 2.0 * box_loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        log.info("step %d: class %.3f, box %.3f", step, class_loss.item(), box_loss.item())
    return model


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    cfg = LayoutConfig()
    model = train(cfg, steps=2)
    page, boxes, labels = GeneratedPages(cfg, 20)[17]
    found, scores, classes = detect(model, page)
    log.info("%d regions, %d found, best %.3f", len(boxes), len(found), scores[0].item())


if __name__ == "__main__":
    main()
