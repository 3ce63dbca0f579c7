"""Anchor-free detector in the style of FCOS: losses aside, only what inference needs."""

import torch
from torch import nn


class ConvNormAct(nn.Module):
    def __init__(self, c_in, c_out, k=3, s=1):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, k, s, padding=k // 2, bias=False)
        self.norm = nn.GroupNorm(8, c_out)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class Backbone(nn.Module):
    def __init__(self, width=32, levels=4):
        super().__init__()
        self.stem = ConvNormAct(3, width, s=2)
        self.stages = nn.ModuleDict()
        for i in range(levels):
            self.stages[f"p{i + 2}"] = nn.Sequential(
                ConvNormAct(width, width * 2, s=2), ConvNormAct(width * 2, width * 2)
            )
            width *= 2
        self.out_channels = width

    def forward(self, x):
        x = self.stem(x)
        outputs = {}
        for name, stage in self.stages.items():
            x = stage(x)
            outputs[name] = x
        return outputs


class FPN(nn.Module):
    def __init__(self, in_channels, out_channels=128):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in in_channels])
        self.smooth = nn.ModuleList([nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in in_channels])

    def forward(self, features):
        laterals = [conv(f) for conv, f in zip(self.lateral, features)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] = laterals[i - 1] + nn.functional.interpolate(
                laterals[i], size=laterals[i - 1].shape[-2:], mode="nearest"
            )
        return [conv(f) for conv, f in zip(self.smooth, laterals)]


class Head(nn.Module):
    def __init__(self, channels, num_classes):
        super().__init__()
        self.cls_tower = ConvNormAct(channels, channels)
        self.box_tower = ConvNormAct(channels, channels)
        self.cls_logits = nn.Conv2d(channels, num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(channels, 4, 3, padding=1)
        self.centerness = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, x):
        cls_feat, box_feat = self.cls_tower(x), self.box_tower(x)
        return self.cls_logits(cls_feat), self.bbox_pred(box_feat).relu(), self.centerness(box_feat)


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1, boxes2):
    area1, area2 = box_area(boxes1), box_area(boxes2)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area1[:, None] + area2 - inter)


def nms(boxes, scores, iou_threshold):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        best = order[0]
        keep.append(best)
        if order.numel() == 1:
            break
        ious = box_iou(boxes[best][None], boxes[order[1:]])[0]
        order = order[1:][ious <= iou_threshold]
    return torch.stack(keep) if keep else torch.empty(0, dtype=torch.long)


class Detector(nn.Module):
    def __init__(self, num_classes=20, score_thresh=0.05, nms_thresh=0.6, topk=50):
        super().__init__()
        self.backbone = Backbone()
        self.fpn = FPN([128, 256, 512])
        self.head = Head(128, num_classes)
        self.strides = (8, 16, 32)
        self.score_thresh = score_thresh
        self.nms_thresh = nms_thresh
        self.topk = topk

    def locations(self, feature, stride):
        h, w = feature.shape[-2:]
        shifts_y, shifts_x = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        points = torch.stack((shifts_x.flatten(), shifts_y.flatten()), dim=1)
        return points * stride + stride // 2

    def postprocess(self, scores, boxes):
        results = []
        for image_scores, image_boxes in zip(scores, boxes):
            candidates = torch.nonzero(image_scores > self.score_thresh)
            box_idx, labels = candidates.unbind(1)
            kept_scores = image_scores[box_idx, labels]
            kept_boxes = image_boxes[box_idx]

            kept_scores, order = kept_scores.topk(min(self.topk, kept_scores.numel()))
            kept_boxes, labels = kept_boxes[order], labels[order]

            keep = nms(kept_boxes, kept_scores, self.nms_thresh)
            results.append({"boxes": kept_boxes[keep], "scores": kept_scores[keep], "labels": labels[keep]})
        return results

    @torch.no_grad()
    def forward(self, images):
        if isinstance(images, (list, tuple)):
            images = torch.stack(images)
        _, *features = self.backbone(images).values()
        features = self.fpn(features)

        all_scores, all_boxes = [], []
        for feature, stride in zip(features, self.strides):
            logits, deltas, centerness = self.head(feature)
            points = self.locations(feature, stride)
            scores = (logits.sigmoid() * centerness.sigmoid()).flatten(2).transpose(1, 2)
            left_top, right_bottom = (deltas * stride).flatten(2).transpose(1, 2).split(2, dim=-1)
            boxes = torch.cat([points - left_top, points + right_bottom], dim=-1)
            all_scores.append(scores)
            all_boxes.append(boxes)

        return self.postprocess(torch.cat(all_scores, dim=1), torch.cat(all_boxes, dim=1))


if __name__ == "__main__":
    detector = Detector().eval()
    images = [torch.rand(3, 128, 128) for _ in range(2)]
    detections = detector(images)
    for detection in detections:
        print({name: tuple(t.shape) for name, t in detection.items()})
