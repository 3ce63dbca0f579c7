import torch
import torch.nn as nn


class IrisNet(nn.Module):
    def __init__(self, n_in=4, n_cls=3):
        super().__init__()
        self.l1 = nn.Linear(n_in, 16)
        self.l2 = nn.Linear(16, n_cls)
        self.relu = nn.ReLU()

    def forward(self, x):
        x = self.relu(self.l1(x))
        x = self.l2(x)
        return x


class IrisWithLoss(nn.Module):
    """Module + criterion in one, so the training loop stays short."""

    def __init__(self):
        super().__init__()
        self.net = IrisNet()
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x, y):
        scores = self.net(x)
        probs = torch.softmax(scores, 1)
        loss = self.criterion(probs, y)
        return loss


IrisWithLoss()(torch.randn(10, 4), torch.randint(0, 3, (10,)))
