"""What the other models are made of."""

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, bias=None):
        batch, length, dim = x.shape
        q = self.query(x).view(batch, length, self.heads, dim // self.heads).transpose(1, 2)
        k = self.key(x).view(batch, length, self.heads, dim // self.heads).transpose(1, 2)
        v = self.value(x).view(batch, length, self.heads, dim // self.heads).transpose(1, 2)
        if bias is None:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = torch.matmul(q, k.transpose(-2, -1)) / (dim // self.heads) ** 0.5
            y = torch.matmul(F.softmax(scores + bias, dim=-1), v)
        return self.out(y.transpose(1, 2).reshape(batch, length, dim))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        return self.net(x)


class SqueezeExcite(nn.Module):
    """Scales each channel by what all of them are on average."""

    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)

    def forward(self, x):
        scale = x.mean(dim=(2, 3))
        scale = torch.sigmoid(self.fc2(F.relu(self.fc1(scale))))
        return x * scale[:, :, None, None]


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, stride, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(c_out)
        self.excite = SqueezeExcite(c_out)

    def forward(self, x):
        return self.excite(F.relu(self.norm(self.conv(x))))
