"""Image of a line of text to a sequence of columns."""

import torch.nn as nn


def conv_bn(c_in, c_out, stride=(1, 1)):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True)
    )


class ColumnBackbone(nn.Module):
    """[B, 1, H, W] to [B, W / 4, width], H being folded into the channels."""

    def __init__(self, height=32, widths=(32, 64, 128), width=192):
        super().__init__()
        layers, last = [], 1
        for i, channels in enumerate(widths):
            layers.append(conv_bn(last, channels, stride=(2, 2) if i < 2 else (2, 1)))
            last = channels
        self.convs = nn.Sequential(*layers)
        self.project = nn.Linear(last * (height // 2 ** len(widths)), width)

    def forward(self, images):
        x = self.convs(images)
        x = x.permute(0, 3, 1, 2).flatten(2)
        return self.project(x)
