import torch
import torch.nn as nn
import torch.nn.functional as F


class Bottleneck3d(nn.Module):
    """1x1x1 (or 3x1x1) -> 1x3x3 -> 1x1x1 with a shortcut."""

    def __init__(self, cin, mid, cout, stride=1, temporal=1):
        super().__init__()
        self.conv1 = nn.Conv3d(cin, mid, (temporal, 1, 1), padding=(temporal // 2, 0, 0), bias=False)
        self.bn1 = nn.BatchNorm3d(mid)
        self.conv2 = nn.Conv3d(mid, mid, (1, 3, 3), stride=(1, stride, stride), padding=(0, 1, 1), bias=False)
        self.bn2 = nn.BatchNorm3d(mid)
        self.conv3 = nn.Conv3d(mid, cout, 1, bias=False)
        self.bn3 = nn.BatchNorm3d(cout)
        self.shortcut = None
        if stride != 1 or cin != cout:
            self.shortcut = nn.Sequential(
                nn.Conv3d(cin, cout, 1, stride=(1, stride, stride), bias=False),
                nn.BatchNorm3d(cout),
            )

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return F.relu(x + y)


class Stem(nn.Module):
    def __init__(self, cout, temporal):
        super().__init__()
        self.conv = nn.Conv3d(3, cout, (temporal, 7, 7), stride=(1, 2, 2), padding=(temporal // 2, 3, 3), bias=False)
        self.bn = nn.BatchNorm3d(cout)
        self.pool = nn.MaxPool3d((1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1))

    def forward(self, x):
        return self.pool(F.relu(self.bn(self.conv(x))))


class Lateral(nn.Module):
    """Time-strided convolution that brings the fast features into the slow pathway."""

    def __init__(self, fast_channels, alpha, ratio, kernel):
        super().__init__()
        self.conv = nn.Conv3d(
            fast_channels, fast_channels * ratio, (kernel, 1, 1),
            stride=(alpha, 1, 1), padding=(kernel // 2, 0, 0), bias=False,
        )
        self.bn = nn.BatchNorm3d(fast_channels * ratio)

    def forward(self, slow, fast):
        fused = F.relu(self.bn(self.conv(fast)))
        return torch.cat([slow, fused], dim=1), fast


class TemporalPool(nn.Module):
    """Attention over the frames with one learned query."""

    def __init__(self, dim, heads):
        super().__init__()
        self.query = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        # (B, C, T, H, W) -> (B, T, C)
        x = x.mean(dim=(3, 4)).transpose(1, 2)
        q = self.query.expand(x.size(0), -1, -1)
        pooled, weights = self.attn(q, x, x)
        return self.norm(pooled.squeeze(1)), weights.squeeze(1)


class SlowFast(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        w, f, r = cfg.width, cfg.fast_width, cfg.fusion_ratio

        self.slow_stem = Stem(w, temporal=1)
        self.fast_stem = Stem(f, temporal=5)
        self.lateral1 = Lateral(f, cfg.alpha, r, cfg.fusion_kernel)

        self.slow2 = Bottleneck3d(w + f * r, w, w * 2)
        self.fast2 = Bottleneck3d(f, f, f * 2, temporal=3)
        self.lateral2 = Lateral(f * 2, cfg.alpha, r, cfg.fusion_kernel)

        self.slow3 = Bottleneck3d(w * 2 + f * 2 * r, w * 2, w * 4, stride=2, temporal=3)
        self.fast3 = Bottleneck3d(f * 2, f * 2, f * 4, stride=2, temporal=3)

        self.slow_pool = TemporalPool(w * 4, cfg.heads)
        self.dropout = nn.Dropout(cfg.dropout)
        self.head = nn.Linear(w * 4 + f * 4, cfg.num_classes)

    def pathways(self, clip):
        fast = clip
        idx = torch.linspace(0, clip.size(2) - 1, self.cfg.slow_frames).long()
        slow = clip.index_select(2, idx)
        return slow, fast

    def forward(self, clip):
        slow, fast = self.pathways(clip)
        slow, fast = self.slow_stem(slow), self.fast_stem(fast)
        slow, fast = self.lateral1(slow, fast)
        slow, fast = self.slow2(slow), self.fast2(fast)
        slow, fast = self.lateral2(slow, fast)
        slow, fast = self.slow3(slow), self.fast3(fast)

        slow_vec, weights = self.slow_pool(slow)
        fast_vec = fast.mean(dim=(2, 3, 4))
        features = torch.cat([slow_vec, fast_vec], dim=1)
        return self.head(self.dropout(features)), weights
