"""Validation for a two-class X-ray classifier: AUC over the whole fold."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def auc(scores, labels):
    pos, neg = scores[labels == 1], scores[labels == 0]
    wins = (pos[:, None] > neg[None, :]).double().mean()
    return float(wins)


def evaluate(net, loader, device="cpu"):
    net.eval()
    scores = torch.empty(0, device=device)
    labels = torch.empty(0, dtype=torch.long, device=device)
    with torch.no_grad():
        for img, y in loader:
            out = net(img.to(device)).softmax(dim=1)
            scores = torch.cat((scores, out[:, 1]))
            labels = torch.cat((labels, y.to(device)))
    return auc(scores, labels), len(labels)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 2),
    )


if __name__ == "__main__":
    torch.manual_seed(5)
    fold = TensorDataset(torch.rand(50, 1, 16, 16), torch.randint(0, 2, (50,)))
    value, n = evaluate(build(), DataLoader(fold, batch_size=8))
    print(f"AUC {value:.3f} on {n} images")
