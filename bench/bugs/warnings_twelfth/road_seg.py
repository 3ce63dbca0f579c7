"""Road scenes: a small segmentation net with dilated branches, its loss and one epoch of training."""

import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = 255


def conv_bn_relu(cin, cout, k=3, stride=1, dilation=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, k, stride=stride, padding=dilation * (k // 2), dilation=dilation, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Conv2d(channels, channels // reduction, 1),
            nn.ReLU(),
            nn.Conv2d(channels // reduction, channels, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return x * self.fc(self.pool(x))


class Branches(nn.Module):
    def __init__(self, cin, cout, rates=(1, 2, 4)):
        super().__init__()
        self.branches = nn.ModuleList([conv_bn_relu(cin, cout, dilation=r) for r in rates])
        self.mix = conv_bn_relu(cout * len(rates), cout, k=1)
        self.drop_rate = 0.1

    def forward(self, x):
        out = [branch(x) for branch in self.branches]
        x = self.mix(torch.cat(out, dim=1))
        return F.dropout2d(x, p=self.drop_rate, training=self.training)


class SegNet(nn.Module):
    def __init__(self, num_classes=12, width=24):
        super().__init__()
        self.stem = conv_bn_relu(3, width, stride=2)
        self.down = conv_bn_relu(width, width * 2, stride=2)
        self.se = SqueezeExcite(width * 2)
        self.aspp = Branches(width * 2, width * 2)
        self.skip = nn.Conv2d(width, 16, 1)
        self.head = nn.Conv2d(width * 2 + 16, num_classes, 1)
        self.aux_head = nn.Conv2d(width * 2, num_classes, 1)
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))

    def forward(self, image):
        size = image.shape[-2:]
        image = (image - self.mean) / self.std
        low = self.stem(image)
        deep = self.se(self.down(low))
        x = self.aspp(deep)
        x = F.interpolate(x, size=low.shape[-2:], mode="bilinear", align_corners=False)
        x = torch.cat([x, self.skip(low)], dim=1)
        logits = F.interpolate(self.head(x), size=size, mode="bilinear", align_corners=False)
        aux = F.interpolate(self.aux_head(deep), size=size, mode="bilinear", align_corners=False)
        return logits, aux


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, target):
        probs = logits.softmax(dim=1)
        valid = (target != IGNORE).unsqueeze(1)
        hot = F.one_hot(target.clamp(max=logits.shape[1] - 1), logits.shape[1]).permute(0, 3, 1, 2).float()
        probs, hot = probs * valid, hot * valid
        inter = (probs * hot).sum(dim=(2, 3))
        union = probs.sum(dim=(2, 3)) + hot.sum(dim=(2, 3))
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()


class SegLoss(nn.Module):
    def __init__(self, aux_weight=0.4):
        super().__init__()
        self.ce = nn.CrossEntropyLoss(ignore_index=IGNORE)
        self.dice = DiceLoss()
        self.aux_weight = aux_weight

    def forward(self, outputs, target):
        logits, aux = outputs
        main = self.ce(logits, target) + self.dice(logits, target)
        return main + self.aux_weight * self.ce(aux, target)


def train_one_epoch(model, criterion, batches, optimizer):
    model.train()
    total = 0.0
    for image, target in batches:
        optimizer.zero_grad()
        loss = criterion(model(image), target)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def main():
    model = SegNet()
    criterion = SegLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batches = [(torch.rand(2, 3, 64, 96), torch.randint(0, 12, (2, 64, 96))) for _ in range(2)]
    print(train_one_epoch(model, criterion, batches, optimizer))


if __name__ == "__main__":
    main()
