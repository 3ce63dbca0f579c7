"""Two-stage training: autoencoder first, then the prior on frozen codes."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from vq_model import CodePrior, VQVAE


@dataclass
class Config:
    image_size: int = 24
    in_channels: int = 3
    width: int = 32
    code_dim: int = 12
    n_codes: int = 40
    n_res: int = 2
    batch_size: int = 6
    n_images: int = 12
    beta: float = 0.25
    lr: float = 2e-3
    steps: int = 2
    seed: int = 0


def blobs(cfg: Config) -> torch.Tensor:
    """Coloured Gaussian blobs on a dark ground, in [-1, 1]."""
    g = torch.linspace(-1, 1, cfg.image_size)
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    centre = torch.rand(cfg.n_images, 2) * 1.2 - 0.6
    spread = torch.rand(cfg.n_images) * 0.2 + 0.05
    d2 = (yy - centre[:, 0, None, None]) ** 2 + (xx - centre[:, 1, None, None]) ** 2
    shape = torch.exp(-d2 / spread[:, None, None])
    colour = torch.rand(cfg.n_images, cfg.in_channels, 1, 1)
    return colour * shape.unsqueeze(1) * 2 - 1


class Trainer:
    def __init__(self, cfg: Config):
        torch.manual_seed(cfg.seed)
        self.cfg = cfg
        self.model = VQVAE(cfg.in_channels, cfg.width, cfg.code_dim, cfg.n_codes, cfg.n_res)
        self.prior = CodePrior(cfg.n_codes)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.prior_opt = torch.optim.AdamW(self.prior.parameters(), lr=cfg.lr)
        self.loader = DataLoader(TensorDataset(blobs(cfg)), batch_size=cfg.batch_size, shuffle=True)

    def perplexity(self, codes: torch.Tensor) -> float:
        p = torch.bincount(codes.flatten(), minlength=self.cfg.n_codes).float()
        p = p / p.sum()
        return math.exp(-(p * (p + 1e-9).log()).sum().item())

    def fit_autoencoder(self) -> None:
        self.model.train()
        for step, (x,) in zip(range(self.cfg.steps), self.loader):
            recon, codes, commit = self.model(x)
            loss = F.mse_loss(recon, x) + self.cfg.beta * commit
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            print(f"[vae] {step} loss {loss.item():.4f} perplexity {self.perplexity(codes):.1f}")

    def fit_prior(self) -> None:
        self.model.eval()
        for step, (x,) in zip(range(self.cfg.steps), self.loader):
            with torch.no_grad():
                _, codes, _ = self.model(x)
            logits = self.prior(codes)
            nll = F.cross_entropy(logits, codes)
            self.prior_opt.zero_grad(set_to_none=True)
            nll.backward()
            self.prior_opt.step()
            print(f"[prior] {step} nll {nll.item():.4f}")

    @torch.no_grad()
    def sample(self, n: int, side: int) -> torch.Tensor:
        codes = torch.zeros(n, side, side, dtype=torch.long)
        for i in range(side):
            for j in range(side):
                logits = self.prior(codes)[:, :, i, j]
                codes[:, i, j] = torch.multinomial(logits.softmax(1), 1).squeeze(1)
        return self.model.decode_codes(codes)


if __name__ == "__main__":
    trainer = Trainer(Config())
    trainer.fit_autoencoder()
    trainer.fit_prior()
    print(tuple(trainer.sample(2, trainer.cfg.image_size // 4).shape))
