import torch
import torch.nn as nn

from . import config
from .blocks import InvertedResidual, _make_divisible


def conv_bn(inp, oup, kernel, stride):
    return nn.Sequential(
        nn.Conv2d(inp, oup, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(oup), nn.Hardswish()
    )


class MobileNet(nn.Module):
    def __init__(self, stages=config.STAGES, num_classes=100, width_mult=config.WIDTH):
        super().__init__()
        input_channel = _make_divisible(config.STEM * width_mult)
        layers = [conv_bn(3, input_channel, 3, 2)]
        for t, c, n, s, k, use_se in stages:
            output_channel = _make_divisible(c * width_mult)
            for i in range(n):
                hidden = _make_divisible(input_channel * t)
                layers.append(
                    InvertedResidual(input_channel, hidden, output_channel, k, s if i == 0 else 1, use_se)
                )
                input_channel = output_channel
        self.features = nn.Sequential(*layers)
        self.conv = conv_bn(input_channel, config.HEAD, 1, 1)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.classifier = nn.Sequential(
            nn.Linear(config.HEAD, 512), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(512, num_classes)
        )

    def forward(self, x):
        x = self.features(x)
        x = self.conv(x)
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        return self.classifier(x)


class Distiller(nn.Module):
    """Learns from the labels and from the probabilities of a teacher."""

    def __init__(self, teacher, student, temperature=2.0):
        super().__init__()
        self.teacher, self.student = teacher, student
        self.temperature = temperature
        self.kl = nn.KLDivLoss(reduction="batchmean")

    def forward(self, images, labels):
        with torch.no_grad():
            soft = (self.teacher(images) / self.temperature).softmax(dim=-1)
        logits = self.student(images)
        hard = nn.functional.cross_entropy(logits, labels)
        return hard + self.kl((logits / self.temperature).log_softmax(dim=-1), soft)
