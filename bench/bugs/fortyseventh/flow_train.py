from __future__ import annotations

from dataclasses import asdict, dataclass, field

import torch
from torch.utils.data import DataLoader

from flow_data import MovingTextures
from flow_model import FlowNet, coords_grid, sample_pixels


@dataclass
class ModelConfig:
    features: int = 64
    hidden: int = 48
    context: int = 32
    motion: int = 40
    levels: int = 3
    radius: int = 2
    iterations: int = 3


@dataclass
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    size: tuple[int, int] = (48, 64)
    batch_size: int = 3
    steps: int = 2
    lr: float = 2e-4
    gamma: float = 0.8
    photometric: float = 0.1


def sequence_loss(predictions, flow, valid, gamma):
    total = flow.new_zeros(())
    for i, pred in enumerate(predictions):
        weight = gamma ** (len(predictions) - i - 1)
        error = (pred - flow).abs() * valid[:, None].float()
        total = total + weight * error.mean()
    return total


def photometric_loss(image1, image2, flow):
    b, _, h, w = flow.shape
    coords = coords_grid(b, h, w).to(flow.device) + flow
    warped = sample_pixels(image2, coords.permute(0, 2, 3, 1))
    return (warped - image1).abs().mean()


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.model = FlowNet(**asdict(cfg.model))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=1e-4)
        self.train_loader = DataLoader(MovingTextures(6, cfg.size), batch_size=cfg.batch_size, shuffle=True)
        self.val_loader = DataLoader(MovingTextures(3, cfg.size, seed=1000), batch_size=cfg.batch_size)

    def step(self, batch) -> float:
        image1, image2, flow, valid = batch
        predictions = self.model(image1, image2)
        loss = sequence_loss(predictions, flow, valid, self.cfg.gamma)
        loss = loss + self.cfg.photometric * photometric_loss(image1, image2, predictions[-1])
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        self.model.eval()
        errors = []
        for image1, image2, flow, valid in self.val_loader:
            pred = self.model(image1, image2)[-1]
            epe = (pred - flow).pow(2).sum(dim=1).sqrt()
            errors.append(epe[valid])
        self.model.train()
        epe = torch.cat(errors)
        return {"epe": epe.mean().item(), "1px": (epe < 1).float().mean().item()}

    def fit(self):
        for i, batch in enumerate(self.train_loader):
            if i == self.cfg.steps:
                break
            print(f"step {i}: {self.step(batch):.4f}")
        print(self.validate())


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(Config()).fit()
