"""Several attributes of a face, each with a head of its own; a batch has labels of only one of them."""

import random

import torch
import torch.nn as nn

ATTRIBUTES = {"glasses": 2, "smile": 2, "hair": 5}


class FaceAttributes(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.head_glasses = nn.Linear(width, 2)
        self.head_smile = nn.Linear(width, 2)
        self.head_hair = nn.Linear(width, 5)

    def forward(self, image, attribute):
        features = self.backbone(image)
        head = getattr(self, "head_" + attribute)
        return head(features)


def labelled_batches(n):
    for _ in range(n):
        attribute = random.choice(sorted(ATTRIBUTES))
        yield attribute, torch.rand(8, 3, 32, 32), torch.randint(0, ATTRIBUTES[attribute], (8,))


def main():
    random.seed(3)
    torch.manual_seed(3)
    model = FaceAttributes()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for attribute, image, label in labelled_batches(8):
        optimizer.zero_grad()
        loss = criterion(model(image, attribute), label)
        loss.backward()
        optimizer.step()
        print(f"{attribute:8s} {loss.item():.4f}")


if __name__ == "__main__":
    main()
