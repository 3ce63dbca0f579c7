"""Diffusion nowcasting with v-prediction; ablations through the command line."""

import argparse
import copy
import math

import torch
from torch.utils.data import DataLoader

from nowcast_data import RadarDataset
from nowcast_unet import UNet


def cosine_alphas_bar(steps, s=0.008):
    x = torch.linspace(0, steps, steps + 1, dtype=torch.float64)
    f = torch.cos((x / steps + s) / (1 + s) * math.pi / 2) ** 2
    return (f / f[0])[1:].clamp(min=1e-5).float()


def extract(table, t, like):
    return table.gather(0, t).view(-1, *[1] * (like.dim() - 1))


class Diffusion:
    def __init__(self, steps):
        self.steps = steps
        bar = cosine_alphas_bar(steps)
        self.alpha = bar.sqrt()
        self.sigma = (1 - bar).sqrt()

    def q_sample(self, x0, t, noise):
        return extract(self.alpha, t, x0) * x0 + extract(self.sigma, t, x0) * noise

    def target(self, x0, t, noise):
        return extract(self.alpha, t, x0) * noise - extract(self.sigma, t, x0) * x0

    def loss(self, model, x0, cond, hour):
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        noise = torch.randn_like(x0)
        v = model(self.q_sample(x0, t, noise), t, cond, hour)
        error = (v - self.target(x0, t, noise)).pow(2).mean(dim=(1, 2, 3))
        snr = (self.alpha / self.sigma).pow(2)
        weight = snr.clamp(max=5.0)[t] / (snr[t] + 1)
        return (weight * error).mean()

    @torch.no_grad()
    def ddim(self, model, cond, hour, n_steps, members):
        cond = cond.repeat_interleave(members, dim=0)
        hour = hour.repeat_interleave(members, dim=0)
        x = torch.randn(cond.shape[0], 1, *cond.shape[-2:])
        times = torch.linspace(self.steps - 1, 0, n_steps).long()
        for now, after in zip(times[:-1], times[1:]):
            t = now.expand(x.shape[0])
            v = model(x, t, cond, hour)
            x0 = self.alpha[now] * x - self.sigma[now] * v
            eps = self.sigma[now] * x + self.alpha[now] * v
            x = self.alpha[after] * x0.clamp(-1, 1) + self.sigma[after] * eps
        return x.unflatten(0, (-1, members))


def crps(ensemble, target):
    """Continuous ranked probability score; ensemble [b, m, 1, h, w], target [b, 1, h, w]."""
    skill = (ensemble - target[:, None]).abs().mean(dim=1)
    spread = (ensemble[:, :, None] - ensemble[:, None]).abs().mean(dim=(1, 2))
    return (skill - 0.5 * spread).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--context", type=int, default=4)
    parser.add_argument("--base", type=int, default=16)
    parser.add_argument("--diffusion-steps", type=int, default=50)
    parser.add_argument("--batch-size", type=int, default=3)
    parser.add_argument("--members", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(0)

    data = RadarDataset(6, args.size, args.context)
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True)
    model = UNet(1, args.context + data.static.shape[0], base=args.base)
    ema = copy.deepcopy(model).eval()
    diffusion = Diffusion(args.diffusion_steps)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)

    for step, batch in zip(range(args.iterations), loader):
        loss = diffusion.loss(model, batch["target"], batch["cond"], batch["hour"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(ema.parameters(), model.parameters()):
                slow.lerp_(fast, 0.01)
        print(f"step {step}: loss {loss.item():.4f}")

    batch = next(iter(loader))
    ensemble = diffusion.ddim(ema, batch["cond"], batch["hour"], n_steps=4, members=args.members)
    print("crps", crps(ensemble, batch["target"]).item())


if __name__ == "__main__":
    main()
