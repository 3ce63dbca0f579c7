"""Scratches on metal surfaces, with the initialisation of the older models of the plant."""
import torch
from torch import nn


def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU())


class ScratchNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.features = nn.Sequential(block(1, width), nn.MaxPool2d(2), block(width, 2 * width))
        self.head = nn.Conv2d(2 * width, 1, 1)
        self.reset()

    def reset(self):
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                layer.bias.data.fill_(0.01)

    def forward(self, grey):
        return self.head(self.features(grey))


if __name__ == "__main__":
    torch.manual_seed(38)
    net = ScratchNet()
    grey = torch.rand(4, 1, 16, 16)
    scratched = (torch.rand(4, 1, 8, 8) < 0.1).float()
    loss = nn.functional.binary_cross_entropy_with_logits(net(grey), scratched)
    loss.backward()
    print(loss.item())
