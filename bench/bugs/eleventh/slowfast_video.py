"""What happens in a film: one look at few frames, one at many, put together."""

from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(inp: int, out: int, kernel: tuple[int, int, int], stride: int = 1) -> nn.Sequential:
    padding = tuple(k // 2 for k in kernel)
    return nn.Sequential(
        nn.Conv3d(inp, out, kernel, stride=(1, stride, stride), padding=padding, bias=False),
        nn.BatchNorm3d(out),
        nn.ReLU(inplace=True),
    )


class Bottleneck(nn.Module):
    def __init__(self, inp: int, mid: int, out: int, time: int, stride: int = 1):
        super().__init__()
        self.a = conv_bn(inp, mid, (time, 1, 1))
        self.b = conv_bn(mid, mid, (1, 3, 3), stride)
        self.c = nn.Conv3d(mid, out, 1)
        self.project = nn.Conv3d(inp, out, 1, stride=(1, stride, stride)) if inp != out or stride > 1 else None

    def forward(self, x):
        skip = x if self.project is None else self.project(x)
        return F.relu(skip + self.c(self.b(self.a(x))))


class Lateral(nn.Module):
    """From the fast way to the slow one."""

    def __init__(self, channels: int, alpha: int):
        super().__init__()
        self.conv = nn.Conv3d(channels, 2 * channels, (5, 1, 1), stride=(alpha, 1, 1), padding=(2, 0, 0))

    def forward(self, fast):
        return self.conv(fast)


class SlowFast(nn.Module):
    def __init__(self, alpha: int = 4, slow: int = 16, fast: int = 4):
        super().__init__()
        self.alpha = alpha
        self.slow_stem = conv_bn(3, slow, (1, 5, 5), 2)
        self.fast_stem = conv_bn(3, fast, (5, 5, 5), 2)
        self.lateral1 = Lateral(fast, alpha)
        self.slow1 = Bottleneck(slow + 2 * fast, slow, 2 * slow, time=1)
        self.fast1 = Bottleneck(fast, fast, 2 * fast, time=3)
        self.lateral2 = Lateral(2 * fast, alpha)
        self.slow2 = Bottleneck(2 * slow + 4 * fast, slow, 4 * slow, time=3, stride=2)
        self.fast2 = Bottleneck(2 * fast, fast, 4 * fast, time=3, stride=2)
        self.slow_out, self.fast_out = 4 * slow, 4 * fast

    def forward(self, video):
        slow, fast = self.slow_stem(video[:, :, :: self.alpha]), self.fast_stem(video)
        slow = torch.cat([slow, self.lateral1(fast)], dim=1)
        slow, fast = self.slow1(slow), self.fast1(fast)
        slow = torch.cat([slow, self.lateral2(fast)], dim=1)
        return self.slow2(slow), self.fast2(fast)


class TimeAttention(nn.Module):
    def __init__(self, dim: int, heads: int = 4, frames: int = 16):
        super().__init__()
        self.place = nn.Embedding(frames, dim)
        self.query = nn.Parameter(torch.randn(1, 1, dim))
        self.attend = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, valid):
        b, t, d = x.shape
        x = self.norm(x + self.place(torch.arange(t)))
        query = self.query.expand(b, -1, -1)
        out, weights = self.attend(query, x, x, key_padding_mask=~valid)
        return out.squeeze(1), weights.squeeze(1)


class Recognizer(nn.Module):
    def __init__(self, actions: int = 11, verbs: int = 7):
        super().__init__()
        self.backbone = SlowFast()
        self.attention = TimeAttention(self.backbone.fast_out)
        self.reduce = nn.Linear(self.backbone.slow_out, 32)
        self.head = nn.Linear(32 + self.backbone.fast_out, actions)
        self.verb = nn.Bilinear(32, self.backbone.fast_out, verbs)
        self.moment = nn.Conv1d(self.backbone.fast_out, 1, 3, padding=1)

    def forward(self, video, valid):
        slow, fast = self.backbone(video)
        still = self.reduce(slow.mean(dim=(2, 3, 4)))
        moving = fast.mean(dim=(3, 4))
        moving = moving.transpose(1, 2)
        seen, weights = self.attention(moving, valid)
        start = self.moment(moving.transpose(1, 2)).squeeze(1) + weights
        return self.head(torch.cat([still, seen], dim=-1)), self.verb(still, seen), start


class Losses(nn.Module):
    def __init__(self, model: Recognizer):
        super().__init__()
        self.model = model
        self.ce = nn.CrossEntropyLoss(label_smoothing=0.05)

    def forward(self, batch: dict):
        action, verb, start = self.model(batch["video"], batch["valid"])
        start = start.masked_fill(~batch["valid"], -1e4)
        loss = self.ce(action, batch["action"]) + self.ce(verb, batch["verb"])
        return loss + F.cross_entropy(start, batch["start"])


def run() -> torch.Tensor:
    batch = {
        "video": torch.rand(2, 3, 16, 20, 28),
        "valid": torch.arange(16)[None] < torch.tensor([[16], [12]]),
        "action": torch.tensor([3, 9]),
        "verb": torch.tensor([0, 6]),
        "start": torch.tensor([4, 11]),
    }
    return Losses(Recognizer())(batch)


if __name__ == "__main__":
    run()
