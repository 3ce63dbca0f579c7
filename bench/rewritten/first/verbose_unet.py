import torch
from torch import nn
from torch.nn import functional as F


class MiniUNet(nn.Module):
    def __init__(self, ch: int = 8, verbose: bool = False):
        super().__init__()
        self.verbose = verbose
        self.d1 = nn.Conv2d(1, ch, 3, padding=1)
        self.d2 = nn.Conv2d(ch, 2 * ch, 3, padding=1)
        self.up = nn.ConvTranspose2d(2 * ch, ch, 2, stride=2)
        self.out = nn.Conv2d(2 * ch, 1, 1)

    def forward(self, x):
        a = F.relu(self.d1(x))
        b = F.relu(self.d2(F.max_pool2d(a, 2)))
        u = self.up(b)
        if self.verbose:
            print('skip', a.shape, 'up', u.shape, 'max', u.abs().max())

        return self.out(torch.cat([a, u], dim=1))


MiniUNet()(torch.randn(1, 1, 16, 16))
