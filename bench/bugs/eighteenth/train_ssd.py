import torch
from ssd.loss import MultiBoxLoss
from ssd.net import SSD


def fake_batch(batch=4, size=64, objects=3):
    images = torch.rand(batch, 3, size, size)
    truths = []
    for _ in range(batch):
        centre, extent = torch.rand(objects, 2), 0.1 + 0.3 * torch.rand(objects, 2)
        truths.append((torch.cat([centre, extent], dim=1), torch.randint(0, 5, (objects,))))
    return images, truths


def main():
    net = SSD(classes=5)
    criterion = MultiBoxLoss(net.anchors)
    opt = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    for _ in range(2):
        images, truths = fake_batch()
        boxes, scores = net(images)
        loss = criterion(boxes, scores, truths)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
