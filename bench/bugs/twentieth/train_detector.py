import torch
from torch.utils.data import DataLoader

from yolo.config import DetectorConfig
from yolo.data import Rectangles, collate
from yolo.loss import DetectionLoss
from yolo.model import Detector


def pairwise_iou(a, b):
    a1, a2 = a[:, :2] - a[:, 2:] / 2, a[:, :2] + a[:, 2:] / 2
    b1, b2 = b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2
    inter = (torch.min(a2[:, None], b2) - torch.max(a1[:, None], b1)).clamp(min=0).prod(dim=2)
    areas = a[:, 2:].prod(dim=1)[:, None] + b[:, 2:].prod(dim=1)
    return inter / (areas - inter + 1e-6)


@torch.no_grad()
def evaluate(model, loader, top=20):
    model.eval()
    found, total = 0, 0
    for images, targets in loader:
        boxes, scores = model.decode(model(images))
        best, labels = scores.max(dim=2)
        _, order = best.topk(top, dim=1)
        boxes = boxes.gather(1, order[:, :, None].expand(-1, -1, 4))
        labels = labels.gather(1, order)
        for i in range(len(images)):
            truth = targets[targets[:, 0] == i]
            iou = pairwise_iou(truth[:, 2:], boxes[i])
            right = truth[:, 1:2] == labels[i][None]
            found += ((iou > 0.5) & right).any(dim=1).sum().item()
            total += len(truth)
    return found / total


def main():
    config = DetectorConfig()
    model = Detector(config)
    criterion = DetectionLoss(config)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    loader = DataLoader(Rectangles(config), batch_size=4, collate_fn=collate)
    for epoch in range(1):
        model.train()
        for images, targets in loader:
            loss = criterion(model(images), targets, model.anchors)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item(), evaluate(model, loader))


if __name__ == "__main__":
    main()
