"""Offline training job. In production the config comes from the job spec."""
import logging
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from ctr_data import ClickLog, Schema
from ctr_model import ClickModel, ModelConfig

log = logging.getLogger("ctr")


@dataclass
class JobConfig:
    schema: Schema = field(default_factory=Schema)
    model: ModelConfig = field(default_factory=ModelConfig)
    batch_size: int = 20
    train_rows: int = 40
    eval_rows: int = 40
    lr: float = 1e-2
    weight_decay: float = 1e-5
    max_steps: int = 2


def train_one_epoch(model, loader, optimizer, cfg: JobConfig) -> float:
    model.train()
    running = 0.0
    for step, batch in enumerate(loader):
        if step >= cfg.max_steps:
            break
        logits = model(batch)
        loss = F.binary_cross_entropy_with_logits(logits, batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / cfg.max_steps


@torch.no_grad()
def evaluate(model, loader) -> dict:
    model.eval()
    probs, labels = [], []
    for batch in loader:
        probs.append(model(batch).sigmoid())
        labels.append(batch["label"])
    p, y = torch.cat(probs), torch.cat(labels)
    order = p.argsort(descending=True)
    top = order[: len(order) // 4]
    return {
        "logloss": F.binary_cross_entropy(p, y).item(),
        "calibration": (p.mean() / y.mean().clamp(min=1e-6)).item(),
        "precision_at_25pct": y[top].mean().item(),
    }


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    torch.manual_seed(0)
    cfg = JobConfig()
    train = DataLoader(ClickLog(cfg.schema, cfg.train_rows, seed=1), cfg.batch_size, shuffle=True)
    held_out = DataLoader(ClickLog(cfg.schema, cfg.eval_rows, seed=2), cfg.batch_size)
    model = ClickModel(cfg.schema, cfg.model)
    optimizer = torch.optim.Adam(
        model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    log.info("train loss %.4f", train_one_epoch(model, train, optimizer, cfg))
    log.info("eval %s", evaluate(model, held_out))


if __name__ == "__main__":
    main()
