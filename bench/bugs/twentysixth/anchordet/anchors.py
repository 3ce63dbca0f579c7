import torch

from .config import DetConfig


def make_anchors(cfg: DetConfig):
    """All anchors of all levels as (cx, cy, w, h)."""
    out = []
    for level in range(len(cfg.widths) - 1):
        stride = 2 ** (level + 2)
        n = cfg.image_size // stride
        ys, xs = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
        centres = (torch.stack([xs, ys], dim=-1).float().reshape(-1, 1, 2) + 0.5) * stride
        sizes = torch.tensor(
            [[stride * 4 * s * r**-0.5, stride * 4 * s * r**0.5] for s in cfg.scales for r in cfg.ratios]
        )
        k = sizes.size(0)
        centres = centres.expand(-1, k, -1)
        sizes = sizes.unsqueeze(0).expand(n * n, -1, -1)
        out.append(torch.cat([centres, sizes], dim=-1).reshape(-1, 4))
    return torch.cat(out)


def decode(deltas, anchors):
    cxcy = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:]
    wh = anchors[:, 2:] * deltas[..., 2:].clamp(max=4.0).exp()
    return torch.cat([cxcy - wh / 2, cxcy + wh / 2], dim=-1)


def box_area(b):
    return (b[..., 2] - b[..., 0]).clamp(min=0) * (b[..., 3] - b[..., 1]).clamp(min=0)


def pairwise_iou(a, b):
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (box_area(a)[:, None] + box_area(b) - inter + 1e-6)
