"""Train and evaluate the sound event detector."""

import copy
from dataclasses import dataclass, field

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from sed_data import AudioConfig, SyntheticEvents
from sed_model import CRNN, ModelConfig


@dataclass
class TrainConfig:
    audio: AudioConfig = field(default_factory=AudioConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    batch_size: int = 6
    train_clips: int = 12
    test_clips: int = 6
    lr: float = 1e-3
    ema: float = 0.95
    weak_weight: float = 0.5
    consistency: float = 0.1
    threshold: float = 0.5


class Trainer:
    def __init__(self, cfg: TrainConfig):
        self.cfg = cfg
        self.model = CRNN(cfg.model)
        self.teacher = copy.deepcopy(self.model).requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.train_loader = DataLoader(SyntheticEvents(cfg.audio, cfg.train_clips), cfg.batch_size, shuffle=True)
        self.test_loader = DataLoader(SyntheticEvents(cfg.audio, cfg.test_clips, seed=1), cfg.batch_size)

    def pool_labels(self, strong: torch.Tensor) -> torch.Tensor:
        return F.max_pool1d(strong.transpose(1, 2), self.cfg.model.time_pool).transpose(1, 2)

    @torch.no_grad()
    def update_teacher(self) -> None:
        for slow, fast in zip(self.teacher.parameters(), self.model.parameters()):
            slow.lerp_(fast, 1 - self.cfg.ema)

    def training_step(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        features, strong = batch["features"], batch["strong"]
        target = self.pool_labels(strong)
        logits, weak = self.model(features)
        loss = F.binary_cross_entropy_with_logits(logits, target)
        loss = loss + self.cfg.weak_weight * F.binary_cross_entropy(weak.clamp(0, 1), batch["weak"])
        with torch.no_grad():
            soft, _ = self.teacher(features + 0.1 * torch.randn_like(features))
        consistency = F.mse_loss(torch.sigmoid(logits), torch.sigmoid(soft))
        return loss + self.cfg.consistency * consistency

    def fit(self) -> None:
        self.model.train()
        for step, batch in enumerate(self.train_loader):
            loss = self.training_step(batch)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.update_teacher()
            print(f"step {step}: {loss.item():.3f}")

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        self.model.eval()
        n = len(self.cfg.audio.classes)
        hits, claimed, present = torch.zeros(n), torch.zeros(n), torch.zeros(n)
        correct = []
        for batch in self.test_loader:
            logits, weak = self.model(batch["features"])
            found = torch.sigmoid(logits) > self.cfg.threshold
            truth = self.pool_labels(batch["strong"]) > 0
            hits += (found & truth).sum(dim=(0, 1))
            claimed += found.sum(dim=(0, 1))
            present += truth.sum(dim=(0, 1))
            correct.append((weak > self.cfg.threshold) == (batch["weak"] > 0))
        f1 = 2 * hits / (claimed + present).clamp(min=1)
        scores = {name: f1[i].item() for i, name in enumerate(self.cfg.audio.classes)}
        scores["tagging"] = torch.cat(correct, dim=0).float().mean().item()
        return scores


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = Trainer(TrainConfig())
    trainer.fit()
    print(trainer.evaluate())
