import torch
import torch.nn as nn


class PillarEncoder(nn.Module):
    def __init__(self, c_in, dim):
        super().__init__()
        self.lin = nn.Linear(c_in, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, points):
        # (B, pillars, points, c) -> (B, pillars, dim)
        return torch.relu(self.norm(self.lin(points))).amax(dim=2)


class BoxHead(nn.Module):
    def __init__(self, dim, box_dim=7):
        super().__init__()
        self.reg = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, box_dim))
        self.cls = nn.Linear(dim, 1)

    def forward(self, feats):
        return self.reg(feats), self.cls(feats).squeeze(-1)


class DetectionLoss(nn.Module):
    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = beta

    def forward(self, boxes, logits, gt_boxes, positive):
        err = nn.functional.smooth_l1_loss(boxes, gt_boxes, reduction="none", beta=self.beta)
        err = err.mean(dim=-1)
        n_pos = positive.sum().clamp(min=1)

        reg_loss = err[positive].sum() / n_pos
        cls_loss = nn.functional.binary_cross_entropy_with_logits(logits, positive.to(logits.dtype))
        return reg_loss + cls_loss


class PillarDetector(nn.Module):
    def __init__(self, c_in=4, dim=16):
        super().__init__()
        self.encoder = PillarEncoder(c_in, dim)
        self.context = nn.Conv1d(dim, dim, 3, padding=1)
        self.head = BoxHead(dim)
        self.loss = DetectionLoss()

    def forward(self, points, gt_boxes, positive):
        f = self.encoder(points)
        f = f + self.context(f.transpose(1, 2)).transpose(1, 2)
        boxes, logits = self.head(f)
        return boxes, logits, self.loss(boxes, logits, gt_boxes, positive)


PillarDetector()(torch.randn(2, 9, 5, 4), torch.randn(2, 9, 7), torch.rand(2, 9) > 0.5)
