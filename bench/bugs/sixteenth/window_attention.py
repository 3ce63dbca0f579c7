"""A hierarchical transformer with attention inside of windows."""

import torch
import torch.nn as nn


def to_windows(x, window):
    b, h, w, c = x.shape
    x = x.view(b, h // window, window, w // window, window, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, window * window, c)


def from_windows(windows, window, h, w):
    c = windows.shape[-1]
    x = windows.view(-1, h // window, w // window, window, window, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, h, w, c)


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.heads, self.window = heads, window
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.bias_table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        ys, xs = torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")
        coords = torch.stack([ys.flatten(), xs.flatten()])
        relative = coords[:, :, None] - coords[:, None, :]
        index = (relative[0] + window - 1) * (2 * window - 1) + relative[1] + window - 1
        self.register_buffer("bias_index", index)

    def forward(self, x):
        nb, n, c = x.shape
        qkv = self.qkv(x).reshape(nb, n, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q * self.scale) @ k.transpose(-2, -1)
        bias = self.bias_table[self.bias_index.flatten()].view(n, n, self.heads)
        scores = scores + bias.permute(2, 0, 1).unsqueeze(0)
        y = scores.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(nb, n, c))


class WindowBlock(nn.Module):
    def __init__(self, dim, heads, window=4, ratio=4):
        super().__init__()
        self.window = window
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = WindowAttention(dim, window, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, ratio * dim), nn.GELU(), nn.Linear(ratio * dim, dim))

    def forward(self, x):
        _, h, w, _ = x.shape
        y = self.attention(to_windows(self.norm1(x), self.window))
        x = x + from_windows(y, self.window, h, w)
        return x + self.mlp(self.norm2(x))


class Merge(nn.Module):
    """Four neighbours become one."""

    def __init__(self, dim, out_dim):
        super().__init__()
        self.norm = nn.LayerNorm(4 * dim)
        self.lin = nn.Linear(4 * dim, out_dim, bias=False)

    def forward(self, x):
        parts = [x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]
        return self.lin(self.norm(torch.cat(parts, dim=-1)))


class WindowTransformer(nn.Module):
    def __init__(self, num_classes=100, dim=48, depths=(1, 2), heads=(3, 6), patch=4):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)
        self.stages = nn.ModuleList()
        for i, (depth, head) in enumerate(zip(depths, heads)):
            blocks = [WindowBlock(dim, head) for _ in range(depth)]
            if i + 1 < len(depths):
                blocks.append(Merge(dim, 2 * dim))
                dim = 2 * dim
            self.stages.append(nn.Sequential(*blocks))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, images):
        x = self.patch(images).permute(0, 2, 3, 1)
        for stage in self.stages:
            x = stage(x)
        return self.head(self.norm(x).mean(dim=(1, 2)))


if __name__ == "__main__":
    model = WindowTransformer()
    print(model(torch.randn(2, 3, 64, 64)).shape)
