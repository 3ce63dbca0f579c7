"""Age, sex and landmarks of faces in one model."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Residual(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(cout), nn.BatchNorm2d(cout)
        self.shortcut = nn.Sequential()
        if stride != 1 or cin != cout:
            self.shortcut = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.shortcut(x))


class SE(nn.Module):
    def __init__(self, channels, ratio=8):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(channels, channels // ratio), nn.ReLU(), nn.Linear(channels // ratio, channels), nn.Sigmoid()
        )

    def forward(self, x):
        scale = self.fc(x.mean(dim=(2, 3)))
        return x * scale[:, :, None, None]


class Head(nn.Module):
    def __init__(self, dim, out, hidden=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, out))

    def forward(self, x):
        return self.layers(x)


class FaceNet(nn.Module):
    def __init__(self, width=32, points=5):
        super().__init__()
        self.points = points
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU())
        self.body = nn.Sequential(
            Residual(width, width), Residual(width, width * 2, 2), SE(width * 2), Residual(width * 2, width * 4, 2)
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.heads = nn.ModuleDict(
            {"age": Head(width * 4, 1), "sex": Head(width * 4, 2), "points": Head(width * 4, points * 2)}
        )

    def features(self, x):
        return self.pool(self.body(self.stem(x))).flatten(1)

    def forward(self, x):
        feats = self.features(x)
        out = {name: head(feats) for name, head in self.heads.items()}
        out["age"] = out["age"].squeeze(1)
        out["points"] = out["points"].view(-1, self.points, 2)
        return out


class UncertaintyLoss(nn.Module):
    """Kendall et al., one weight a task."""

    def __init__(self, tasks=3):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(tasks))

    def forward(self, losses):
        losses = torch.stack(losses)
        return (torch.exp(-self.log_var) * losses + self.log_var).sum()


def losses_of(out, batch):
    return [
        F.l1_loss(out["age"], batch["age"]),
        F.cross_entropy(out["sex"], batch["sex"]),
        ((out["points"] - batch["points"]) ** 2).sum(-1).sqrt().mean(),
    ]


def fake_batch(n=16):
    return {
        "image": torch.rand(n, 3, 64, 64),
        "age": torch.rand(n) * 80,
        "sex": torch.randint(0, 2, (n,)),
        "points": torch.rand(n, 5, 2),
    }


if __name__ == "__main__":
    model, criterion = FaceNet(), UncertaintyLoss()
    optimizer = torch.optim.Adam([*model.parameters(), *criterion.parameters()], lr=1e-3)
    for i in range(3):
        batch = fake_batch()
        out = model(batch["image"])
        loss = criterion(losses_of(out, batch))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss.item())
