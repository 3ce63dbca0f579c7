from torch import nn
from torch.nn import functional as F

from segment.blocks import ResUnit, UpMerge


class ResUNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.stem = nn.Conv2d(cfg.in_channels, cfg.widths[0], 3, padding=1)
        self.encoder = nn.ModuleList()
        self.reduce = nn.ModuleList()
        previous = cfg.widths[0]
        for width in cfg.widths:
            self.encoder.append(ResUnit(previous, width, cfg.groups))
            self.reduce.append(nn.Conv2d(width, width, 3, stride=2, padding=1))
            previous = width
        self.middle = ResUnit(previous, cfg.bottleneck, cfg.groups)

        self.decoder = nn.ModuleList()
        previous = cfg.bottleneck
        for width in reversed(cfg.widths):
            self.decoder.append(UpMerge(previous, width, width, cfg.groups))
            previous = width
        self.head = nn.Conv2d(cfg.widths[0], cfg.num_classes, 1)
        self.aux_heads = nn.ModuleList(nn.Conv2d(w, cfg.num_classes, 1) for w in reversed(cfg.widths[1:]))

    def forward(self, x):
        size = x.shape[-2:]
        x = self.stem(x)
        skips = []
        for unit, reduce in zip(self.encoder, self.reduce):
            x = unit(x)
            skips.append(x)
            x = reduce(x)
        x = self.middle(x)
        outputs = []
        for stage in self.decoder:
            x = stage(x, skips.pop())
            outputs.append(x)
        logits = self.head(x)
        if not self.cfg.deep_supervision:
            return logits
        aux = [F.interpolate(head(y), size=size, mode="bilinear") for head, y in zip(self.aux_heads, outputs)]
        return logits, aux
