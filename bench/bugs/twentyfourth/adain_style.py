"""One picture in the manner of another: statistics exchanged between encoder and decoder (AdaIN)."""

import argparse

import torch
import torch.nn as nn


def vgg_block(in_ch, out_ch, n):
    layers = []
    for i in range(n):
        layers += [nn.ReflectionPad2d(1), nn.Conv2d(in_ch if i == 0 else out_ch, out_ch, 3), nn.ReLU()]
    return nn.Sequential(*layers)


class Encoder(nn.Module):
    def __init__(self, widths=(16, 32, 64)):
        super().__init__()
        self.first = nn.Conv2d(3, 3, 1)
        self.stages = nn.ModuleList()
        ch = 3
        for width in widths:
            self.stages.append(vgg_block(ch, width, 2))
            ch = width
        self.pool = nn.MaxPool2d(2, ceil_mode=True)

    def forward(self, x):
        x = self.first(x)
        feats = []
        for i, stage in enumerate(self.stages):
            if i > 0:
                x = self.pool(x)
            x = stage(x)
            feats.append(x)
        return feats


class Decoder(nn.Module):
    def __init__(self, widths=(64, 32, 16)):
        super().__init__()
        layers = []
        for i, (a, b) in enumerate(zip(widths, (*widths[1:], 3))):
            layers += [nn.ReflectionPad2d(1), nn.Conv2d(a, b, 3)]
            if i < len(widths) - 1:
                layers += [nn.ReLU(), nn.Upsample(scale_factor=2, mode="nearest")]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


def calc_mean_std(feat, eps=1e-5):
    N, C = feat.size()[:2]
    feat_var = feat.view(N, C, -1).var(dim=2) + eps
    feat_std = feat_var.sqrt().view(N, C, 1, 1)
    feat_mean = feat.view(N, C, -1).mean(dim=2).view(N, C, 1, 1)
    return feat_mean, feat_std


def adain(content_feat, style_feat):
    size = content_feat.size()
    style_mean, style_std = calc_mean_std(style_feat)
    content_mean, content_std = calc_mean_std(content_feat)
    normalized = (content_feat - content_mean.expand(size)) / content_std.expand(size)
    return normalized * style_std.expand(size) + style_mean.expand(size)


def gram_matrix(x):
    b, c, h, w = x.size()
    f = x.view(b, c, h * w)
    return torch.bmm(f, f.transpose(1, 2)) / (c * h * w)


class StyleNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.mse = nn.MSELoss()
        for p in self.encoder.parameters():
            p.requires_grad = False

    def style_loss(self, a, b):
        mean_a, std_a = calc_mean_std(a)
        mean_b, std_b = calc_mean_std(b)
        return self.mse(mean_a, mean_b) + self.mse(std_a, std_b)

    def forward(self, content, style, alpha=1.0):
        style_feats = self.encoder(style)
        content_feat = self.encoder(content)[-1]
        t = adain(content_feat, style_feats[-1])
        t = alpha * t + (1 - alpha) * content_feat
        g_t = self.decoder(t)
        out_feats = self.encoder(g_t)
        loss_c = self.mse(out_feats[-1], t)
        loss_s = sum(self.style_loss(o, s) for o, s in zip(out_feats, style_feats))
        loss_g = sum(self.mse(gram_matrix(o), gram_matrix(s)) for o, s in zip(out_feats, style_feats))
        loss_tv = (g_t[:, :, 1:, :] - g_t[:, :, :-1, :]).abs().mean() + (g_t[..., 1:] - g_t[..., :-1]).abs().mean()
        return loss_c + 10 * loss_s + loss_g + 1e-4 * loss_tv, g_t


@torch.no_grad()
def blend(net, content, styles, weights):
    """Several manners at once."""
    content_feat = net.encoder(content.unsqueeze(0))[-1].repeat(len(styles), 1, 1, 1)
    mixed = adain(content_feat, net.encoder(styles)[-1])
    mixed = (mixed * weights.view(-1, 1, 1, 1)).sum(dim=0, keepdim=True)
    return net.decoder(mixed).squeeze(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--style-size", type=int, default=48)
    parser.add_argument("--batch", type=int, default=4)
    args = parser.parse_args([])
    net = StyleNet()
    opt = torch.optim.Adam(net.decoder.parameters(), lr=1e-4)
    for _ in range(2):
        content = torch.rand(args.batch, 3, args.size, args.size)
        style = torch.rand(args.batch, 3, args.style_size, args.style_size)
        loss, _ = net(content, style)
        opt.zero_grad()
        loss.backward()
        opt.step()
    styles = torch.rand(3, 3, 48, 48)
    print(blend(net, torch.rand(3, 64, 64), styles, torch.tensor([0.5, 0.3, 0.2])).shape)


if __name__ == "__main__":
    main()
