import torch
from torch import nn
import torch.nn.functional as F


class SharedMLP(nn.Module):
    """Point-wise layers, as in PointNet."""

    def __init__(self, cin: int, cmid: int, cout: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(cin, cmid, 1, bias=False)
        self.conv2 = nn.Conv1d(cmid, cout, 1)
        self.bn1 = nn.BatchNorm1d(cmid)
        self.bn2 = nn.BatchNorm1d(cout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.conv2(x)
        x = self.bn2(x)
        return F.relu(x)


class ScanEncoder(nn.Module):
    def __init__(self, cin: int = 4, width: int = 16) -> None:
        super().__init__()
        self.local = SharedMLP(cin, width, width)
        self.wide = SharedMLP(2 * width, width, 2 * width)

    def forward(self, pts: torch.Tensor) -> torch.Tensor:
        f = self.local(pts)
        g = f.amax(dim=2, keepdim=True).expand_as(f)
        return self.wide(torch.cat([f, g], dim=1))


class LidarTagger(nn.Module):
    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        self.encoder = ScanEncoder()
        self.classify = nn.Conv1d(32, classes, 1)

    def forward(self, pts: torch.Tensor) -> torch.Tensor:
        # (B, N, 4) -> (B, N, classes)
        f = self.encoder(pts.transpose(1, 2))
        return self.classify(f).transpose(1, 2)


LidarTagger()(torch.randn(3, 12, 4))
