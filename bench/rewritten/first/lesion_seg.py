import torch
import torch.nn as nn


def conv_relu(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU())


class LesionSeg(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.down = conv_relu(1, ch)
        self.mid = conv_relu(ch, ch)
        self.last = nn.Conv2d(ch, 1, 1)
        self.act = nn.Sigmoid()
        self.loss_fn = nn.BCELoss()

    def forward(self, img, mask):
        h = self.down(img)
        h = h + self.mid(h)
        out = self.last(h)

        pred = self.act(out)
        # flatten, loss is averaged over pixels anyway
        loss = self.loss_fn(pred.view(-1), mask.view(-1))
        return loss


LesionSeg()(torch.randn(2, 1, 8, 8), torch.bernoulli(torch.full((2, 1, 8, 8), 0.3)))
