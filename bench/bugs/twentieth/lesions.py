# Segmentation of skin lesions, exported from a notebook.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, random_split

CLASSES = 3


class LesionData(Dataset):
    def __init__(self, n=12, size=64):
        rng = np.random.default_rng(0)
        self.images = rng.random((n, size, size, 3)).astype(np.float32)
        self.masks = rng.integers(0, CLASSES, (n, size, size))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).permute(2, 0, 1)
        mask = torch.from_numpy(self.masks[i]).long()
        if i % 2:
            image, mask = image.flip(2), mask.flip(1)
        return image, mask


class SeparableConv(nn.Module):
    def __init__(self, in_ch, out_ch, stride=1, dilation=1):
        super().__init__()
        self.depthwise = nn.Conv2d(in_ch, in_ch, 3, stride, dilation, dilation, groups=in_ch, bias=False)
        self.pointwise = nn.Conv2d(in_ch, out_ch, 1, bias=False)
        self.bn = nn.BatchNorm2d(out_ch)

    def forward(self, x):
        return F.relu(self.bn(self.pointwise(self.depthwise(x))))


class XceptionBlock(nn.Module):
    def __init__(self, in_ch, out_ch, stride):
        super().__init__()
        self.convs = nn.Sequential(
            SeparableConv(in_ch, out_ch),
            SeparableConv(out_ch, out_ch),
            SeparableConv(out_ch, out_ch, stride),
        )
        self.skip = nn.Sequential(nn.Conv2d(in_ch, out_ch, 1, stride, bias=False), nn.BatchNorm2d(out_ch))

    def forward(self, x):
        return self.convs(x) + self.skip(x)


class ASPP(nn.Module):
    def __init__(self, in_ch, out_ch=64, rates=(1, 2, 3)):
        super().__init__()
        self.one = nn.Sequential(nn.Conv2d(in_ch, out_ch, 1, bias=False), nn.BatchNorm2d(out_ch), nn.ReLU())
        self.branches = nn.ModuleList(SeparableConv(in_ch, out_ch, dilation=r) for r in rates)
        self.image_pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(in_ch, out_ch, 1), nn.ReLU())
        self.project = nn.Sequential(
            nn.Conv2d((len(rates) + 2) * out_ch, out_ch, 1, bias=False),
            nn.BatchNorm2d(out_ch),
            nn.ReLU(),
            nn.Dropout(0.3),
        )

    def forward(self, x):
        h, w = x.shape[-2:]
        pooled = F.interpolate(self.image_pool(x), size=(h, w), mode="bilinear", align_corners=False)
        feats = [self.one(x)] + [branch(x) for branch in self.branches] + [pooled]
        return self.project(torch.cat(feats, dim=1))


class DeepLab(nn.Module):
    def __init__(self, num_classes=CLASSES, low_level=32):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU())
        self.block1 = XceptionBlock(24, 64, 2)
        self.block2 = XceptionBlock(64, 128, 2)
        self.block3 = XceptionBlock(128, 160, 1)
        self.aspp = ASPP(160)
        self.reduce = nn.Conv2d(64, low_level, 1)
        self.decoder = nn.Sequential(SeparableConv(64 + low_level, 64), SeparableConv(64, 64))
        self.classifier = nn.Conv2d(64, num_classes, 1)

    def forward(self, x):
        size = x.shape[2:]
        low = self.block1(self.stem(x))
        high = self.aspp(self.block3(self.block2(low)))
        high = F.interpolate(high, size=low.shape[2:], mode="bilinear", align_corners=False)
        out = self.decoder(torch.cat([high, self.reduce(low)], dim=1))
        return F.interpolate(self.classifier(out), size=size, mode="bilinear", align_corners=False)


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, target):
        num_classes = logits.shape[1]
        probs = F.softmax(logits, dim=1).flatten(2)
        onehot = F.one_hot(target, num_classes).flatten(1, 2).transpose(1, 2).float()
        inter = (probs * onehot).sum(-1)
        union = probs.sum(-1) + onehot.sum(-1)
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()


class BoundaryLoss(nn.Module):
    """Edges of the mask count more."""

    def __init__(self):
        super().__init__()
        kernel = torch.tensor([[-1.0, -1, -1], [-1, 8, -1], [-1, -1, -1]])
        self.register_buffer("kernel", kernel[None, None])

    def forward(self, logits, target):
        edges = F.conv2d(target[:, None].float(), self.kernel, padding=1).abs().clamp(max=1)
        loss = F.cross_entropy(logits, target, reduction="none")
        return (loss * (1 + edges.squeeze(1))).mean()


def confusion(pred, target):
    index = target.flatten() * CLASSES + pred.flatten()
    return torch.bincount(index, minlength=CLASSES**2).view(CLASSES, CLASSES)


# %%
data = LesionData()
train_set, val_set = random_split(data, [8, 4])
train_loader = DataLoader(train_set, batch_size=4, shuffle=True)
val_loader = DataLoader(val_set, batch_size=2)

net = DeepLab()
dice, boundary = DiceLoss(), BoundaryLoss()
weights = torch.tensor([0.2, 0.4, 0.4])
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

# %%
for epoch in range(1):
    net.train()
    for img, msk in train_loader:
        out = net(img)
        loss = F.cross_entropy(out, msk, weight=weights) + dice(out, msk) + 0.5 * boundary(out, msk)
        opt.zero_grad()
        loss.backward()
        opt.step()

    net.eval()
    matrix = torch.zeros(CLASSES, CLASSES, dtype=torch.long)
    with torch.no_grad():
        for img, msk in val_loader:
            pred = (net(img) + net(img.flip(3)).flip(3)).argmax(dim=1)
            matrix += confusion(pred, msk)
    tp = matrix.diagonal()
    iou = tp / (matrix.sum(0) + matrix.sum(1) - tp).clamp(min=1)
    print(epoch, loss.item(), iou.tolist())
