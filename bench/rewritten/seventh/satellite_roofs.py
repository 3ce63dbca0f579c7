"""Finds roofs on satellite tiles."""
import torch
from torch import nn


class WideConv(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.border = nn.ZeroPad2d(2)
        self.conv = nn.Conv2d(cin, cout, kernel_size=5, stride=stride)
        self.act = nn.LeakyReLU(0.1)

    def forward(self, tile):
        tile = self.border(tile)
        return self.act(self.conv(tile))


class RoofNet(nn.Module):
    def __init__(self, bands=4):
        super().__init__()
        self.down = nn.Sequential(WideConv(bands, 8, stride=2), WideConv(8, 16, stride=2))
        self.up = nn.Sequential(
            nn.Upsample(scale_factor=2, mode="nearest"),
            WideConv(16, 8),
            nn.Upsample(scale_factor=2, mode="nearest"),
            WideConv(8, 4),
        )
        self.mask = nn.Conv2d(4, 1, 1)

    def forward(self, tiles):
        return self.mask(self.up(self.down(tiles)))


def main():
    torch.manual_seed(0)
    tiles = torch.rand(2, 4, 32, 32)
    roofs = (torch.rand(2, 1, 32, 32) < 0.3).float()
    net = RoofNet()
    loss = nn.BCEWithLogitsLoss()(net(tiles), roofs)
    loss.backward()
    print(float(loss.detach()))


if __name__ == "__main__":
    main()
