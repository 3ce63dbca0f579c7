"""The pyramid over the features of a ResNet-18, one map for each of its stages."""

import torch
from torch import nn

from fpn_decoder import FPNDecoder

CHANNELS = [3, 64, 64, 128, 256, 512]

if __name__ == "__main__":
    decoder = FPNDecoder(encoder_channels=CHANNELS, pyramid_channels=128)
    head = nn.Conv2d(decoder.out_channels, 4, kernel_size=3, padding=1)
    features = [torch.randn(2, c, 64 // 2**i, 64 // 2**i) for i, c in enumerate(CHANNELS)]
    print(head(decoder(features)).shape)
