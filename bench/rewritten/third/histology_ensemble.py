import torch
import torch.nn as nn
import torch.nn.functional as F


class TileNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )

    def forward(self, tiles):
        return self.features(tiles)


class EnsembleHead(nn.Module):
    """Several linear readers that vote with their probabilities."""

    def __init__(self, dim, n_classes, n_members):
        super().__init__()
        self.members = nn.Parameter(torch.randn(n_members, dim, n_classes) * dim ** -0.5)

    def forward(self, feats):
        # (members, batch, classes)
        logits = torch.matmul(feats, self.members)
        probs = torch.softmax(logits, dim=-1).mean(dim=0)
        return torch.log(probs)


class TumorGrader(nn.Module):
    def __init__(self, width=8, n_classes=4, n_members=3):
        super().__init__()
        self.backbone = TileNet(width)
        self.head = EnsembleHead(2 * width, n_classes, n_members)

    def score(self, tiles):
        return self.head(self.backbone(tiles))

    def forward(self, tiles, grade):
        log_probs = self.score(tiles)
        return log_probs, F.nll_loss(log_probs, grade)


TumorGrader()(torch.rand(4, 3, 16, 16), torch.tensor([0, 1, 2, 3]))
