"""Tiny neural audio codec: strided conv encoder, residual VQ, transposed conv decoder, multi-scale critic."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import weight_norm

def wn_conv(*args, **kwargs):
    return weight_norm(nn.Conv1d(*args, **kwargs))

class Snake(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x):
        return x + (self.alpha + 1e-9).reciprocal() * torch.sin(self.alpha * x).pow(2)

class ResUnit(nn.Module):
    def __init__(self, dim, dilation=1):
        super().__init__()
        self.block = nn.Sequential(
            Snake(dim), wn_conv(dim, dim, kernel_size=7, dilation=dilation, padding=3 * dilation),
            Snake(dim), wn_conv(dim, dim, kernel_size=1),
        )

    def forward(self, x):
        return x + self.block(x)

class Encoder(nn.Module):
    def __init__(self, width=16, strides=(2, 4, 4), latent=32):
        super().__init__()
        self.stem = wn_conv(1, width, kernel_size=7, padding=3)
        stages = []
        for s in strides:
            res = nn.Sequential(ResUnit(width, 1), ResUnit(width, 3))
            down = wn_conv(width, width * 2, kernel_size=2 * s, stride=s, padding=math.ceil(s / 2))
            stages.append(nn.ModuleDict({"res": res, "down": down}))
            width *= 2
        self.stages = nn.ModuleList(stages)
        self.to_latent = wn_conv(width, latent, kernel_size=3, padding=1)

    def forward(self, wav):
        x = self.stem(wav)
        for stage in self.stages:
            x = stage["down"](stage["res"](x))
        return self.to_latent(x)

class Codebook(nn.Module):
    def __init__(self, latent, size=64, code_dim=8):
        super().__init__()
        self.proj_in = nn.Linear(latent, code_dim)
        self.proj_out = nn.Linear(code_dim, latent)
        self.codes = nn.Embedding(size, code_dim)

    def forward(self, z):
        h = self.proj_in(z.transpose(1, 2))
        flat = F.normalize(h.reshape(-1, h.shape[-1]), dim=-1)
        sim = flat @ F.normalize(self.codes.weight, dim=-1).t()
        ids = sim.argmax(dim=-1).view(h.shape[0], h.shape[1])
        q = self.codes(ids)
        commit = F.mse_loss(h, q.detach(), reduction="none").mean(dim=(1, 2))
        update = F.mse_loss(q, h.detach(), reduction="none").mean(dim=(1, 2))
        q = h + (q - h).detach()
        return self.proj_out(q).transpose(1, 2), ids, 0.25 * commit + update

class ResidualVQ(nn.Module):
    def __init__(self, latent, levels=4, dropout=0.5):
        super().__init__()
        self.levels = nn.ModuleList([Codebook(latent) for _ in range(levels)])
        self.dropout = dropout
    def forward(self, z):
        b = z.shape[0]
        keep = torch.full((b,), len(self.levels))
        if self.training:
            n_drop = int(b * self.dropout)
            keep[:n_drop] = torch.randint(1, len(self.levels) + 1, (n_drop,))
        residual, out, vq_loss, codes = z, torch.zeros_like(z), 0.0, []
        for i, level in enumerate(self.levels):
            q, ids, loss = level(residual)
            mask = (i < keep).float()
            out = out + q * mask[:, None, None]
            residual = residual - q
            vq_loss = vq_loss + (loss * mask).mean()
            codes.append(ids)
        return out, torch.stack(codes, dim=1), vq_loss

class Decoder(nn.Module):
    def __init__(self, latent=32, width=128, strides=(4, 4, 2)):
        super().__init__()
        layers = [wn_conv(latent, width, kernel_size=7, padding=3)]
        for s in strides:
            up = nn.ConvTranspose1d(width, width // 2, 2 * s, stride=s, padding=math.ceil(s / 2))
            layers += [Snake(width), weight_norm(up), ResUnit(width // 2, 1)]
            width //= 2
        layers += [Snake(width), wn_conv(width, 1, kernel_size=7, padding=3), nn.Tanh()]
        self.net = nn.Sequential(*layers)

    def forward(self, z):
        return self.net(z)

class ScaleCritic(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layers = nn.ModuleList([
            wn_conv(1, width, 15, stride=1, padding=7),
            wn_conv(width, width * 4, 41, stride=4, groups=4, padding=20),
            wn_conv(width * 4, width * 8, 41, stride=4, groups=8, padding=20),
        ])
        self.head = wn_conv(width * 8, 1, 3, padding=1)

    def forward(self, x):
        feats = []
        for layer in self.layers:
            feats.append(x := F.leaky_relu(layer(x), 0.1))
        return self.head(x), feats

class MultiScaleCritic(nn.Module):
    def __init__(self, scales=2):
        super().__init__()
        self.critics = nn.ModuleList([ScaleCritic() for _ in range(scales)])

    def forward(self, x):
        results = []
        for critic in self.critics:
            results.append(critic(x))
            x = F.avg_pool1d(x, 4, stride=2, padding=1)
        return results

def spectral_loss(x, y, sizes=(64, 128)):
    total = 0.0
    for n in sizes:
        win = torch.hann_window(n)
        both = torch.cat([x, y]).squeeze(1)
        spec = torch.stft(both, n, hop_length=n // 4, window=win, return_complex=True).abs()
        sx, sy = spec.chunk(2)
        total = total + F.l1_loss(torch.log(sx + 1e-5), torch.log(sy + 1e-5))
    return total

def update(opt, loss):
    opt.zero_grad()
    loss.backward()
    opt.step()

def main():
    torch.manual_seed(0)
    enc, vq, dec, critic = Encoder(), ResidualVQ(32), Decoder(), MultiScaleCritic()
    opt_g = torch.optim.AdamW([*enc.parameters(), *vq.parameters(), *dec.parameters()], lr=3e-4)
    opt_d = torch.optim.AdamW(critic.parameters(), lr=3e-4)
    wav = torch.randn(4, 1, 1536) * 0.1

    quantised, codes, vq_loss = vq(enc(wav))
    fake = dec(quantised)
    real_out, fake_out = critic(wav), critic(fake.detach())
    loss_d = sum(F.relu(1 - r[0]).mean() + F.relu(1 + f[0]).mean() for r, f in zip(real_out, fake_out))
    update(opt_d, loss_d)
    real_out, fake_out = critic(wav), critic(fake)
    adv, fm = 0.0, 0.0
    for (_, real_feats), (score, fake_feats) in zip(real_out, fake_out):
        adv = adv - score.mean()
        for rf, ff in zip(real_feats, fake_feats):
            fm = fm + F.l1_loss(ff, rf.detach())
    loss_g = F.l1_loss(fake, wav) + spectral_loss(fake, wav) + adv + 2 * fm + vq_loss
    update(opt_g, loss_g)
    b, levels, frames = codes.shape
    used = F.one_hot(codes, 64).sum(dim=(0, 2)).gt(0).float().mean(dim=-1)
    print(f"d {loss_d.item():.3f} g {loss_g.item():.3f} {levels}x{frames} codes, used {used.tolist()}")

if __name__ == "__main__":
    main()
