"""Tumours in scans: a U-Net in three dims with deep supervision."""

import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = {
    "in_channels": 4,
    "features": [8, 16, 32],
    "n_classes": 3,
    "groups": 4,
    "supervised": 2,
}


def norm_act(channels, groups):
    return nn.Sequential(nn.GroupNorm(groups, channels), nn.LeakyReLU(0.01))


class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch, groups):
        super().__init__()
        self.conv1 = nn.Conv3d(in_ch, out_ch, 3, padding=1, bias=False)
        self.norm1 = norm_act(out_ch, groups)
        self.conv2 = nn.Conv3d(out_ch, out_ch, 3, padding=1, bias=False)
        self.norm2 = norm_act(out_ch, groups)
        self.skip = nn.Conv3d(in_ch, out_ch, 1) if in_ch != out_ch else nn.Identity()

    def forward(self, x):
        out = self.norm1(self.conv1(x))
        out = self.norm2(self.conv2(out))
        return out + self.skip(x)


class Down(nn.Module):
    def __init__(self, in_ch, out_ch, groups):
        super().__init__()
        self.pool = nn.Conv3d(in_ch, in_ch, 2, stride=2)
        self.block = DoubleConv(in_ch, out_ch, groups)

    def forward(self, x):
        return self.block(self.pool(x))


class Up(nn.Module):
    def __init__(self, in_ch, skip_ch, out_ch, groups):
        super().__init__()
        self.up = nn.ConvTranspose3d(in_ch, out_ch, kernel_size=2, stride=2)
        self.gate = nn.Sequential(nn.Conv3d(out_ch + skip_ch, 1, 1), nn.Sigmoid())
        self.block = DoubleConv(out_ch + skip_ch, out_ch, groups)

    def forward(self, x, skip):
        x = self.up(x)
        weight = self.gate(torch.cat([x, skip], dim=1))
        return self.block(torch.cat([x, skip * weight], dim=1))


class UNet3D(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        feats, groups = cfg["features"], cfg["groups"]
        self.inc = DoubleConv(cfg["in_channels"], feats[0], groups)
        self.downs = nn.ModuleList([Down(a, b, groups) for a, b in zip(feats[:-1], feats[1:])])
        self.ups = nn.ModuleList()
        for high, low in zip(reversed(feats[1:]), reversed(feats[:-1])):
            self.ups.append(Up(high, low, low, groups))
        self.outs = nn.ModuleList([nn.Conv3d(f, cfg["n_classes"], 1) for f in reversed(feats[:-1])])
        self.supervised = cfg["supervised"]
        self.volume = nn.Linear(feats[-1], cfg["n_classes"])

    def forward(self, x):
        size = x.shape[2:]
        skips = [self.inc(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = skips.pop()
        volumes = self.volume(x.mean(dim=(2, 3, 4)))
        maps = []
        for up, out in zip(self.ups, self.outs):
            x = up(x, skips.pop())
            maps.append(F.interpolate(out(x), size=size, mode="trilinear", align_corners=False))
        return torch.stack(maps[-self.supervised :], dim=1), volumes


class DiceLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, scans, masks):
        maps, volumes = self.model(scans)
        probs = maps.sigmoid()
        target = masks.unsqueeze(1).expand_as(probs)
        overlap = (probs * target).sum(dim=(3, 4, 5))
        dice = 2 * overlap / (probs.sum(dim=(3, 4, 5)) + target.sum(dim=(3, 4, 5)) + 1e-5)
        present = masks.flatten(2).amax(dim=2)
        return 1 - dice.mean() + F.binary_cross_entropy_with_logits(volumes, present)


if __name__ == "__main__":
    criterion = DiceLoss(UNet3D(CONFIG))
    scans = torch.randn(2, 4, 16, 24, 24)
    masks = torch.randint(0, 2, (2, 3, 16, 24, 24)).float()
    criterion(scans, masks).backward()
