# Final project: one network for classification + box + segmentation
# Dataset is synthetic (rectangles/discs on noise) so I can debug it fast
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(1)
np.random.seed(1)
torch.set_num_threads(1)

IMG_SIZE = 64
NUM_CLASSES = 3
NUM_SEG = 2          # background / object
BATCH = 4
CROP = 8


class ShapesDataset(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        label = idx % NUM_CLASSES
        img = np.random.rand(IMG_SIZE, IMG_SIZE, 3).astype(np.float32)
        w, h = np.random.randint(12, 28, size=2)
        x0 = np.random.randint(0, IMG_SIZE - w)
        y0 = np.random.randint(0, IMG_SIZE - h)
        img[y0:y0 + h, x0:x0 + w, label] += 1.0
        mask = np.zeros((IMG_SIZE, IMG_SIZE), dtype=np.int64)
        mask[y0:y0 + h, x0:x0 + w] = 1
        box = np.array([x0 + w / 2, y0 + h / 2, w, h], dtype=np.float32) / IMG_SIZE
        img = torch.from_numpy(img).permute(2, 0, 1)
        return img, label, torch.from_numpy(box), torch.from_numpy(mask)


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, kernel_size=3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class ResBlock(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = conv_bn(cin, cout, stride)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(cout)
        self.down = nn.Conv2d(cin, cout, 1, stride=stride)

    def forward(self, x):
        out = self.bn2(self.conv2(self.conv1(x)))
        return F.relu(out + self.down(x))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 16, stride=2)
        self.layer1 = ResBlock(16, 24, stride=2)
        self.layer2 = ResBlock(24, 48, stride=2)
        self.layer3 = ResBlock(48, 96, stride=2)

    def forward(self, x):
        x = self.stem(x)
        c3 = self.layer1(x)     # 16 x 16
        c4 = self.layer2(c3)    # 8 x 8
        c5 = self.layer3(c4)    # 4 x 4
        return c3, c4, c5


class FPN(nn.Module):
    def __init__(self, channels, out):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, out, 1) for c in channels])
        self.smooth = nn.ModuleList([nn.Conv2d(out, out, 3, padding=1) for _ in channels])

    def forward(self, feats):
        lat = [l(f) for l, f in zip(self.lateral, feats)]
        for i in range(len(lat) - 1, 0, -1):
            lat[i - 1] = lat[i - 1] + F.interpolate(lat[i], scale_factor=2, mode="nearest")
        return [s(l) for s, l in zip(self.smooth, lat)]


class MultiTaskNet(nn.Module):
    def __init__(self, fpn_dim=32):
        super().__init__()
        self.backbone = Backbone()
        self.fpn = FPN([24, 48, 96], fpn_dim)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.cls_head = nn.Sequential(nn.Linear(fpn_dim * 3, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, NUM_CLASSES))
        self.box_head = nn.Sequential(nn.Flatten(), nn.Linear(fpn_dim * 8 * 8, 64), nn.ReLU(), nn.Linear(64, 4))
        self.seg_head = nn.Sequential(conv_bn(fpn_dim, 32), nn.Conv2d(32, NUM_SEG * 16, 1))
        self.shuffle = nn.PixelShuffle(4)
        self.refine = nn.Linear(3 * CROP * CROP, 1)

    def forward(self, x):
        p3, p4, p5 = self.fpn(self.backbone(x))
        pooled = [self.pool(p).flatten(1) for p in (p3, p4, p5)]
        logits = self.cls_head(torch.cat(pooled, dim=1))
        boxes = torch.sigmoid(self.box_head(p4))
        seg = self.shuffle(self.seg_head(p3))
        crops = crop_boxes(x, boxes)
        score = self.refine(crops.flatten(1)).squeeze(1)
        return logits, boxes, seg, score


def crop_boxes(images, boxes):
    """sample a CROP x CROP patch inside every predicted box"""
    steps = torch.linspace(-0.5, 0.5, CROP)
    gy, gx = torch.meshgrid(steps, steps, indexing="ij")
    grid = torch.stack([gx, gy], dim=-1).unsqueeze(0)          # 1, CROP, CROP, 2
    centre = boxes[:, None, None, :2]
    size = boxes[:, None, None, 2:]
    grid = (centre + grid * size) * 2 - 1
    return F.grid_sample(images, grid, align_corners=False)


def box_iou(a, b):
    a_lo, a_hi = a[:, :2] - a[:, 2:] / 2, a[:, :2] + a[:, 2:] / 2
    b_lo, b_hi = b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2
    inter = (torch.min(a_hi, b_hi) - torch.max(a_lo, b_lo)).clamp(min=0).prod(dim=1)
    union = a[:, 2:].prod(dim=1) + b[:, 2:].prod(dim=1) - inter
    return inter / (union + 1e-6)


def dice_loss(seg, mask):
    probs = seg.softmax(dim=1)
    onehot = F.one_hot(mask, NUM_SEG).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum(dim=(2, 3))
    total = probs.sum(dim=(2, 3)) + onehot.sum(dim=(2, 3))
    return 1 - (2 * inter / (total + 1e-6)).mean()


def main():
    loader = DataLoader(ShapesDataset(8), batch_size=BATCH, shuffle=True)
    net = MultiTaskNet()
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    confusion = torch.zeros(NUM_CLASSES, NUM_CLASSES)
    for images, labels, boxes, masks in loader:
        logits, pred_boxes, seg, score = net(images)
        iou = box_iou(pred_boxes, boxes)
        loss_cls = F.cross_entropy(logits, labels)
        loss_box = F.smooth_l1_loss(pred_boxes, boxes) + (1 - iou).mean()
        loss_seg = F.cross_entropy(seg, masks) + dice_loss(seg, masks)
        loss_score = F.binary_cross_entropy(torch.sigmoid(score), iou.detach())
        loss = loss_cls + 2 * loss_box + loss_seg + 0.5 * loss_score
        opt.zero_grad()
        loss.backward()
        opt.step()
        pred = logits.argmax(dim=1)
        confusion.index_put_((labels, pred), torch.ones(len(labels)), accumulate=True)
        fg = masks.bool()
        wrong = fg & ~(seg.argmax(1) == 1)
        print("loss %.3f  iou %.3f  missed pixels %d" % (loss.item(), iou.mean().item(), wrong.sum().item()))
    print(confusion)


main()
