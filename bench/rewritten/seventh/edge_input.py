"""A lesson: edges as additional input channels."""
import torch
import torch.nn.functional as F
from torch import nn


class EdgeChannels(nn.Module):
    """Appends the horizontal and the vertical gradient to a grey picture."""

    def __init__(self):
        super().__init__()
        sobel = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
        self.kernels = torch.stack([sobel, sobel.t()]).unsqueeze(1) / 8

    def forward(self, grey):
        edges = F.conv2d(grey, self.kernels, padding=1)
        return torch.cat([grey, edges], dim=1)


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.edges = EdgeChannels()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2),
            nn.ReLU(),
        )
        self.classify = nn.Linear(16 * 6 * 6, 10)

    def forward(self, pictures):
        h = self.features(self.edges(pictures))
        return self.classify(h.flatten(1))


# try it
torch.manual_seed(0)
pictures = torch.rand(4, 1, 28, 28)
net = Digits()
print(net(pictures).shape)
print(net.edges(pictures).abs().amax(dim=(0, 2, 3)))
