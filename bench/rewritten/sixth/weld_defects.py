"""Segmentation of defects in weld images. Defects are few, so easy pixels count less."""

import torch
from torch import nn


class FocalPixelLoss(nn.Module):
    """Cross entropy of every pixel, weighted with how far off it is."""

    def __init__(self, gamma: float = 2.0):
        super().__init__()
        self.gamma = gamma
        self.bce = nn.BCELoss(reduction="none")

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        prob = torch.sigmoid(logits)
        pixel = self.bce(prob, target)
        off = torch.abs(target - prob)
        return (off.pow(self.gamma) * pixel).mean()


class TinySegmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(12, 12, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.Conv2d(12, 1, 1),
        )

    def forward(self, image):
        return self.body(image)


def welds(n):
    image = torch.randn(n, 1, 24, 24)
    defect = (image > 1.8).float()
    return image + 0.1 * torch.randn_like(image), defect


if __name__ == "__main__":
    torch.manual_seed(5)
    model, loss_fn = TinySegmenter(), FocalPixelLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(8):
        image, defect = welds(4)
        loss = loss_fn(model(image), defect)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())
