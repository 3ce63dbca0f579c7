import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvNormAct(nn.Module):
    def __init__(self, c_in, c_out, groups, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.GroupNorm(groups, c_out)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


class GlobalGate(nn.Module):
    def __init__(self, channels, inner):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, inner, 1)
        self.norm = nn.GroupNorm(1, inner)
        self.excite = nn.Conv2d(inner, channels, 1)

    def forward(self, x):
        s = F.adaptive_avg_pool2d(x, 1)
        s = F.relu(self.norm(self.squeeze(s)))
        return x * torch.sigmoid(self.excite(s))


class CentreDetector(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        stem, *rest = cfg.widths
        self.stem = ConvNormAct(3, stem, cfg.groups, stride=2)
        layers = []
        for c_in, c_out in zip(cfg.widths, rest):
            layers += [ConvNormAct(c_in, c_out, cfg.groups, stride=2), GlobalGate(c_out, c_out // 4)]
        self.body = nn.Sequential(*layers)
        self.up = nn.ConvTranspose2d(rest[-1], stem, 2, stride=2)
        self.heat = nn.Conv2d(stem, cfg.n_kinds, 1)
        self.size = nn.Conv2d(stem, 2, 1)
        nn.init.constant_(self.heat.bias, -2.0)

    def forward(self, image):
        x = F.relu(self.up(self.body(self.stem(image))))
        return {"heat": self.heat(x), "size": F.softplus(self.size(x))}
