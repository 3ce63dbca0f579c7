"""Fit a small radiance field to pictures of a ball."""
import math

import torch
import torch.nn.functional as F

from haze_field import Haze
from lens_rays import camera_rays, orbit

FIELD = {"width": 32, "depth": 4, "skip": 2, "octaves": 4, "view_octaves": 2}
CONFIG = {
    "scene": {"height": 20, "width": 24, "focal": 26.0},
    "model": {"near": 1.5, "far": 4.5, "samples": 16, "extra": 12, "field": FIELD},
    "fit": {"views": 6, "steps": 12, "rays": 128, "lr": 5e-3},
}


def shade(origins, dirs, radius=0.9):
    """What a ball looks like from outside, on white."""
    along = (origins * dirs).sum(dim=-1)
    inside = along**2 - (origins**2).sum(dim=-1) + radius**2
    near = -along - inside.clamp_min(0).sqrt()
    normal = F.normalize(origins + near[:, None] * dirs, dim=-1)
    return torch.where(inside[:, None] > 0, 0.5 + 0.5 * normal, torch.ones_like(normal))


@torch.no_grad()
def render(model, pose, scene, chunk=200):
    origins, dirs = camera_rays(pose, **scene)
    rows = [model(o, d)[1] for o, d in zip(origins.split(chunk), dirs.split(chunk))]
    return torch.cat(rows).view(scene["height"], scene["width"], 3)


if __name__ == "__main__":
    torch.manual_seed(0)
    scene, fit = CONFIG["scene"], CONFIG["fit"]
    poses = [orbit(2 * math.pi * n / fit["views"]) for n in range(fit["views"])]
    origins, dirs = map(torch.cat, zip(*(camera_rays(pose, **scene) for pose in poses)))
    pixels = shade(origins, dirs)
    model = Haze(CONFIG["model"])
    opt = torch.optim.Adam(model.parameters(), lr=fit["lr"])
    for step in range(fit["steps"]):
        pick = (torch.rand(fit["rays"]) * len(pixels)).long()
        rough, clean = model(origins[pick], dirs[pick])
        loss = F.mse_loss(rough, pixels[pick]) + F.mse_loss(clean, pixels[pick])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % 4 == 3:
            print(f"step {step + 1}: {-10 * math.log10(loss.item() / 2):.2f} dB")
    picture = render(model, orbit(0.4), scene)
    print("rendered", tuple(picture.shape), f"mean {picture.mean():.3f}")
