import torch
from torch import nn
import torch.nn.functional as F


def conv_block(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False),
        nn.GroupNorm(4, cout),
        nn.SiLU(),
    )


class SqueezeExcite(nn.Module):
    def __init__(self, ch, reduction=4):
        super().__init__()
        self.fc1 = nn.Linear(ch, ch // reduction)
        self.fc2 = nn.Linear(ch // reduction, ch)

    def forward(self, x):
        s = x.mean(dim=(2, 3))
        s = torch.sigmoid(self.fc2(F.silu(self.fc1(s))))
        return x * s[:, :, None, None]


class Up(nn.Module):
    def __init__(self, cin, cskip, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, 2, stride=2)
        self.conv = conv_block(cout + cskip, cout)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat([x, skip], dim=1))


class UNet(nn.Module):
    def __init__(self, in_ch=3, base=16):
        super().__init__()
        self.stem = conv_block(in_ch, base, stride=2)
        self.down1 = nn.Sequential(conv_block(base, base * 2, stride=2), SqueezeExcite(base * 2))
        self.down2 = nn.Sequential(conv_block(base * 2, base * 4, stride=2), SqueezeExcite(base * 4))
        self.middle = nn.Conv2d(base * 4, base * 4, 3, padding=2, dilation=2)
        self.up1 = Up(base * 4, base * 2, base * 2)
        self.up2 = Up(base * 2, base, base)
        self.out_channels = base

    def forward(self, x):
        s0 = self.stem(x)          # 1/2
        s1 = self.down1(s0)        # 1/4
        s2 = self.down2(s1)        # 1/8
        y = s2 + self.middle(s2)
        y = self.up1(y, s1)
        return self.up2(y, s0)     # 1/2


def coord_grid(h, w):
    """(h, w, 2) of x, y in pixels of the map."""
    ys, xs = torch.meshgrid(torch.arange(h).float(), torch.arange(w).float(), indexing="ij")
    return torch.stack([xs, ys], dim=-1)


def soft_argmax(heatmaps, temperature=0.1):
    """(B, K, H, W) -> (B, K, 2) as x, y."""
    b, k, h, w = heatmaps.shape
    probs = F.softmax(heatmaps.flatten(2) / temperature, dim=-1)
    grid = coord_grid(h, w).reshape(h * w, 2)
    return torch.einsum("bkn,nc->bkc", probs, grid)


def gather_at(feat, xy):
    """Bilinear samples of (B, C, H, W) at (B, K, 2) pixels -> (B, K, C)."""
    h, w = feat.shape[-2:]
    size = torch.tensor([w - 1, h - 1], dtype=feat.dtype)
    grid = (xy / size * 2 - 1).unsqueeze(2)
    out = F.grid_sample(feat, grid, align_corners=True)
    return out.squeeze(-1).transpose(1, 2)


class KeypointNet(nn.Module):
    def __init__(self, num_joints, base=16):
        super().__init__()
        self.num_joints = num_joints
        self.backbone = UNet(base=base)
        c = self.backbone.out_channels
        self.coord = nn.Conv2d(c + 2, c, 1)
        self.heat = nn.Conv2d(c, num_joints, 1)
        self.offset = nn.Conv2d(c, num_joints * 2, 1)
        self.joint_embed = nn.Parameter(torch.randn(num_joints, c) * 0.02)
        self.refine = nn.TransformerEncoderLayer(c, 4, dim_feedforward=32, batch_first=True)
        self.visible = nn.Linear(c, 1)
        self.delta = nn.Linear(c, 2)

    def forward(self, images):
        feat = self.backbone(images)
        b, c, h, w = feat.shape
        grid = coord_grid(h, w).permute(2, 0, 1) / max(h, w)
        feat = self.coord(torch.cat([feat, grid.expand(b, -1, -1, -1)], dim=1))
        heat = self.heat(feat)
        offset = self.offset(feat).view(b, self.num_joints, 2, h, w)

        xy = soft_argmax(heat)
        tokens = gather_at(feat, xy) + self.joint_embed
        tokens = self.refine(tokens)
        visible = self.visible(tokens).squeeze(-1)
        return {"heat": heat, "offset": offset, "xy": xy + self.delta(tokens), "visible": visible}

    @torch.no_grad()
    def decode(self, out):
        heat, offset = out["heat"], out["offset"]
        b, k, h, w = heat.shape
        scores, idx = heat.sigmoid().flatten(2).max(dim=-1)
        x, y = idx % w, idx // w
        peak = torch.stack([x, y], dim=-1).float()
        flat = offset.flatten(3)
        index = idx[:, :, None, None].expand(-1, -1, 2, 1)
        return peak + flat.gather(3, index).squeeze(-1), scores
