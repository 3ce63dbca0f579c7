"""Video super-resolution x4: aligned neighbours, recurrent features both ways, pixel shuffle on top of bicubic."""

import torch
from torch import nn
from torch.nn import functional as F


class ResidualBlocks(nn.Module):
    def __init__(self, in_ch, nf=32, n=3):
        super().__init__()
        self.head = nn.Sequential(nn.Conv2d(in_ch, nf, 3, 1, 1), nn.LeakyReLU(0.1, inplace=True))
        self.body = nn.ModuleList(
            nn.Sequential(nn.Conv2d(nf, nf, 3, 1, 1), nn.ReLU(), nn.Conv2d(nf, nf, 3, 1, 1)) for _ in range(n)
        )

    def forward(self, x):
        x = self.head(x)
        for block in self.body:
            x = x + block(x)
        return x


class PixelShufflePack(nn.Module):
    def __init__(self, in_ch, out_ch, scale=2):
        super().__init__()
        self.scale = scale
        self.conv = nn.Conv2d(in_ch, out_ch * scale * scale, 3, 1, 1)

    def forward(self, x):
        return F.pixel_shuffle(self.conv(x), self.scale)


class FlowPyramid(nn.Module):
    """Coarse to fine; each level adds to the flow of the level before."""

    def __init__(self, levels=3):
        super().__init__()
        self.levels = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(8, 24, 7, padding=3), nn.ReLU(), nn.Conv2d(24, 12, 7, padding=3), nn.ReLU(),
                nn.Conv2d(12, 2, 7, padding=3),
            )
            for _ in range(levels)
        )  # fmt: skip

    def forward(self, ref, supp):
        refs, supps = [ref], [supp]
        for _ in range(len(self.levels) - 1):
            refs.insert(0, F.avg_pool2d(refs[0], 2))
            supps.insert(0, F.avg_pool2d(supps[0], 2))
        n, _, h, w = refs[0].shape
        flow = ref.new_zeros(n, 2, h // 2, w // 2)
        for level, r, s in zip(self.levels, refs, supps):
            flow = F.interpolate(flow, scale_factor=2, mode="bilinear", align_corners=True) * 2.0
            warped = warp(s, flow.permute(0, 2, 3, 1))
            flow = flow + level(torch.cat([r, warped, flow], 1))
        return flow


def warp(x, flow):
    n, _, h, w = x.shape
    gy, gx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    grid = torch.stack((gx, gy), 2).type_as(x)
    pos = grid + flow
    pos_x = 2.0 * pos[..., 0] / max(w - 1, 1) - 1.0
    pos_y = 2.0 * pos[..., 1] / max(h - 1, 1) - 1.0
    return F.grid_sample(x, torch.stack((pos_x, pos_y), dim=3), padding_mode="border", align_corners=True)


class BasicVSR(nn.Module):
    def __init__(self, nf=32, blocks=2):
        super().__init__()
        self.nf = nf
        self.flow = FlowPyramid()
        self.backward_trunk = ResidualBlocks(nf + 3, nf, blocks)
        self.forward_trunk = ResidualBlocks(nf + 3, nf, blocks)
        self.fusion = nn.Conv2d(nf * 2, nf, 1)
        self.up1 = PixelShufflePack(nf, nf, 2)
        self.up2 = PixelShufflePack(nf, 48, 2)
        self.conv_hr = nn.Conv2d(48, 48, 3, 1, 1)
        self.conv_last = nn.Conv2d(48, 3, 3, 1, 1)

    def flows(self, lqs):
        n, t, c, h, w = lqs.size()
        first = lqs[:, :-1].reshape(-1, c, h, w)
        second = lqs[:, 1:].reshape(-1, c, h, w)
        back = self.flow(first, second).view(n, t - 1, 2, h, w)
        forth = self.flow(second, first).view(n, t - 1, 2, h, w)
        return forth, back

    def forward(self, lqs):
        n, t, c, h, w = lqs.size()
        forth, back = self.flows(lqs)
        outputs = []
        feat = lqs.new_zeros(n, self.nf, h, w)
        for i in range(t - 1, -1, -1):
            if i < t - 1:
                feat = warp(feat, back[:, i].permute(0, 2, 3, 1))
            feat = self.backward_trunk(torch.cat([lqs[:, i], feat], dim=1))
            outputs.append(feat)
        outputs = outputs[::-1]
        feat = torch.zeros_like(feat)
        for i in range(t):
            lr = lqs[:, i]
            if i > 0:
                feat = warp(feat, forth[:, i - 1].permute(0, 2, 3, 1))
            feat = self.forward_trunk(torch.cat([lr, feat], dim=1))
            out = F.leaky_relu(self.fusion(torch.cat([outputs[i], feat], dim=1)), 0.1)
            out = F.leaky_relu(self.up1(out), 0.1)
            out = F.leaky_relu(self.up2(out), 0.1)
            out = self.conv_last(F.leaky_relu(self.conv_hr(out), 0.1))
            outputs[i] = out + F.interpolate(lr, scale_factor=4, mode="bilinear", align_corners=False)
        return torch.stack(outputs, dim=1)


class Charbonnier(nn.Module):
    def forward(self, pred, target):
        return torch.sqrt((pred - target) ** 2 + 1e-12).mean()


def main():
    net, criterion = BasicVSR(), Charbonnier()
    opt = torch.optim.Adam(net.parameters(), lr=2e-4)
    hr = torch.rand(2, 4, 3, 96, 128)
    lr = F.avg_pool2d(hr.flatten(0, 1), 4).unflatten(0, hr.shape[:2])
    sr = net(lr)
    loss = criterion(sr, hr)
    loss.backward()
    opt.step()
    mse = F.mse_loss(sr.clamp(0, 1), hr, reduction="none").mean(dim=(2, 3, 4))
    print(-10 * torch.log10(mse))


if __name__ == "__main__":
    main()
