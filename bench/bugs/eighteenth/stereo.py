"""Disparity from two images: a cost volume of shifted features, 3D convolutions, a soft argmin."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout, k=3, stride=1, dilation=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, k, stride, padding=dilation * (k // 2), dilation=dilation, bias=False),
        nn.BatchNorm2d(cout),
    )


def conv3d_bn(cin, cout, stride=1):
    return nn.Sequential(nn.Conv3d(cin, cout, 3, stride, padding=1, bias=False), nn.BatchNorm3d(cout))


class Basic(nn.Module):
    def __init__(self, cin, cout, stride=1, dilation=1):
        super().__init__()
        self.conv1 = conv_bn(cin, cout, stride=stride, dilation=dilation)
        self.conv2 = conv_bn(cout, cout, dilation=dilation)
        self.down = conv_bn(cin, cout, 1, stride) if stride != 1 or cin != cout else nn.Identity()

    def forward(self, x):
        return F.relu(self.conv2(F.relu(self.conv1(x))) + self.down(x))


class Features(nn.Module):
    def __init__(self, base=8, scales=(8, 4)):
        super().__init__()
        self.stem = nn.Sequential(conv_bn(3, base, stride=2), nn.ReLU(), conv_bn(base, base), nn.ReLU())
        self.layer1 = Basic(base, 2 * base, stride=2)
        self.layer2 = Basic(2 * base, 2 * base, dilation=2)
        self.branches = nn.ModuleList(
            nn.Sequential(nn.AvgPool2d(s, s), conv_bn(2 * base, base // 2, 1), nn.ReLU()) for s in scales
        )
        self.last = nn.Sequential(
            conv_bn(4 * base + len(scales) * base // 2, 2 * base), nn.ReLU(), nn.Conv2d(2 * base, base, 1, bias=False)
        )

    def forward(self, x):
        low = self.layer1(self.stem(x))
        high = self.layer2(low)
        pooled = [F.interpolate(b(high), size=high.shape[2:], mode="bilinear") for b in self.branches]
        return self.last(torch.cat([low, high, *pooled], dim=1))


class Hourglass(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.down1 = nn.Sequential(conv3d_bn(c, 2 * c, stride=2), nn.ReLU())
        self.down2 = nn.Sequential(conv3d_bn(2 * c, 2 * c, stride=2), nn.ReLU())
        self.up1 = nn.ConvTranspose3d(2 * c, 2 * c, 3, stride=2, padding=1, output_padding=1)
        self.up2 = nn.ConvTranspose3d(2 * c, c, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        a = self.down1(x)
        b = self.up1(self.down2(a))
        return self.up2(F.relu(a + b)) + x


class StereoNet(nn.Module):
    def __init__(self, max_disp=32, base=8):
        super().__init__()
        self.max_disp = max_disp
        self.features = Features(base)
        self.dres = nn.Sequential(conv3d_bn(2 * base, base), nn.ReLU(), conv3d_bn(base, base))
        self.hourglass = Hourglass(base)
        self.cost = nn.Conv3d(base, 1, 3, padding=1)

    def volume(self, left, right):
        b, c, h, w = left.shape
        cost = left.new_zeros(b, 2 * c, self.max_disp // 4, h, w)
        for d in range(self.max_disp // 4):
            if d > 0:
                cost[:, :c, d, :, d:] = left[:, :, :, d:]
                cost[:, c:, d, :, d:] = right[:, :, :, :-d]
            else:
                cost[:, :c, d] = left
                cost[:, c:, d] = right
        return cost

    def forward(self, left, right):
        h, w = left.shape[2:]
        volume = self.dres(self.volume(self.features(left), self.features(right)))
        cost = self.cost(self.hourglass(volume))
        cost = F.interpolate(cost, size=(self.max_disp, h, w), mode="trilinear").squeeze(1)
        prob = F.softmax(-cost, dim=1)
        disparities = torch.arange(self.max_disp, dtype=prob.dtype).view(1, -1, 1, 1)
        return (prob * disparities).sum(dim=1)


def train(steps=1):
    net = StereoNet()
    opt = torch.optim.Adam(net.parameters())
    for _ in range(steps):
        left, right = torch.rand(2, 3, 32, 64), torch.rand(2, 3, 32, 64)
        truth = torch.rand(2, 32, 64) * 30
        valid = truth < net.max_disp
        pred = net(left, right)
        loss = F.smooth_l1_loss(pred[valid], truth[valid])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net


if __name__ == "__main__":
    train()
