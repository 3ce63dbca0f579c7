"""A backbone of inverted bottlenecks and token mixers, with its variants."""

import torch
from torch import nn

from .layers import ClassifierHead, ConvNormAct, LayerNorm2d, LayerScale2d, SqueezeExcite, make_divisible
from .registry import register_model


class MBConv(nn.Module):
    def __init__(self, in_chs, out_chs, stride=1, expand=4.0):
        super().__init__()
        mid_chs = make_divisible(in_chs * expand)
        self.has_skip = stride == 1 and in_chs == out_chs
        self.conv_pw = ConvNormAct(in_chs, mid_chs, 1)
        self.conv_dw = ConvNormAct(mid_chs, mid_chs, 3, stride=stride, groups=mid_chs)
        self.se = SqueezeExcite(mid_chs)
        self.conv_pwl = ConvNormAct(mid_chs, out_chs, 1, act_layer=None)

    def forward(self, x):
        shortcut = x
        x = self.conv_pw(x)
        x = self.conv_dw(x)
        x = self.se(x)
        x = self.conv_pwl(x)
        if self.has_skip:
            x = x + shortcut
        return x


class TokenMixer(nn.Module):
    def __init__(self, dim, resolution, mlp_ratio=2):
        super().__init__()
        tokens = resolution[0] * resolution[1]
        self.norm1 = LayerNorm2d(dim)
        self.spatial = nn.Sequential(nn.Linear(tokens, tokens // 2), nn.GELU(), nn.Linear(tokens // 2, tokens))
        self.ls1 = LayerScale2d(dim)
        self.norm2 = LayerNorm2d(dim)
        self.channel = nn.Sequential(
            nn.Conv2d(dim, dim * mlp_ratio, 1), nn.GELU(), nn.Conv2d(dim * mlp_ratio, dim, 1)
        )
        self.ls2 = LayerScale2d(dim)

    def forward(self, x):
        B, C, H, W = x.shape
        tokens = self.norm1(x).flatten(2)
        x = x + self.ls1(self.spatial(tokens).reshape(B, C, H, W))
        return x + self.ls2(self.channel(self.norm2(x)))


class ConvMlp(nn.Module):
    def __init__(
        self, img_size=64, in_chans=3, num_classes=1000, depths=(1, 2, 1), dims=(16, 24, 40), mixers=(False, False, True)
    ):
        super().__init__()
        self.stem = ConvNormAct(in_chans, dims[0], 3, stride=2)
        self.feature_info = []
        stages = []
        prev, size = dims[0], img_size // 2
        for i, (depth, dim, mix) in enumerate(zip(depths, dims, mixers)):
            stride = 1 if i == 0 else 2
            size //= stride
            blocks = [MBConv(prev if j == 0 else dim, dim, stride if j == 0 else 1) for j in range(depth)]
            if mix:
                blocks.append(TokenMixer(dim, (size, size)))
            stages.append(nn.Sequential(*blocks))
            self.feature_info.append({"num_chs": dim, "reduction": img_size // size, "module": f"stages.{i}"})
            prev = dim
        self.stages = nn.Sequential(*stages)
        self.num_features = prev
        self.head = ClassifierHead(self.num_features, num_classes, drop_rate=0.1)

    def forward_features(self, x):
        return self.stages(self.stem(x))

    def forward_intermediates(self, x):
        x = self.stem(x)
        outs = []
        for stage in self.stages:
            x = stage(x)
            outs.append(x)
        return outs

    def forward(self, x):
        return self.head(self.forward_features(x))


class PyramidHead(nn.Module):
    """Features of all stages, joined at the size of the first."""

    def __init__(self, backbone, num_classes, width=32):
        super().__init__()
        self.backbone = backbone
        channels = [info["num_chs"] for info in backbone.feature_info]
        self.laterals = nn.ModuleList(nn.Conv2d(chs, width, 1) for chs in channels)
        self.smooth = ConvNormAct(width * len(channels), width, 3)
        self.classify = nn.Conv2d(width, num_classes, 1)

    def forward(self, x):
        features = self.backbone.forward_intermediates(x)
        size = features[0].shape[-2:]
        maps = []
        for lateral, feature in zip(self.laterals, features):
            maps.append(nn.functional.interpolate(lateral(feature), size=size, mode="bilinear"))
        return self.classify(self.smooth(torch.cat(maps, dim=1)))


def _create(pretrained=False, **kwargs):
    return ConvMlp(**kwargs)


@register_model
def convmlp_tiny(**kwargs):
    return _create(**kwargs)


@register_model
def convmlp_small(**kwargs):
    return _create(**dict({"depths": (2, 2, 2), "dims": (24, 32, 48)}, **kwargs))
