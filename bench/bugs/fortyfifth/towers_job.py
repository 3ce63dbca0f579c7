"""Training job of the retrieval model: logQ-corrected in-batch and sampled negatives, then recall at k."""
from __future__ import annotations

import logging

import torch
import torch.nn.functional as F
from torch import Tensor

from towers import TowerConfig, TwoTower

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("towers")

BATCH_SIZE = 16
NUM_NEGATIVES = 5


class Catalogue:
    """All items with their features; stands in for the feature store."""

    def __init__(self, cfg: TowerConfig) -> None:
        self.cfg = cfg
        self.categories = torch.randint(0, cfg.num_categories, (cfg.num_items, 3))
        self.text = torch.randn(cfg.num_items, cfg.text_dim)
        self.popularity = torch.rand(cfg.num_items) + 0.01
        self.popularity[0] = 0.0  # padding

    def features(self, ids: Tensor) -> dict[str, Tensor]:
        return {"item_id": ids, "categories": self.categories[ids], "text": self.text[ids]}

    def sample(self, batch: int, k: int) -> Tensor:
        return torch.multinomial(self.popularity, batch * k, replacement=True).view(batch, k)

    def log_q(self, ids: Tensor) -> Tensor:
        return (self.popularity[ids] / self.popularity.sum()).log()


def impressions(cfg: TowerConfig, steps: int):
    for _ in range(steps):
        history = torch.randint(1, cfg.num_items, (BATCH_SIZE, cfg.history_len))
        filled = torch.randint(1, cfg.history_len + 1, (BATCH_SIZE,))
        history[torch.arange(cfg.history_len) >= filled[:, None]] = 0
        user = {
            "user_id": torch.randint(0, cfg.num_users, (BATCH_SIZE,)),
            "country": torch.randint(0, cfg.num_countries, (BATCH_SIZE,)),
            "history": history,
            "dense": torch.rand(BATCH_SIZE, cfg.num_dense),
        }
        clicked = torch.randint(1, cfg.num_items, (BATCH_SIZE,))
        yield user, clicked, torch.rand(BATCH_SIZE) + 0.5


def train_step(model: TwoTower, catalogue: Catalogue, user_features, clicked: Tensor, weight: Tensor) -> Tensor:
    user, item = model(user_features, catalogue.features(clicked))

    # in-batch softmax; two users may have clicked the same item
    logits = user @ item.T / model.cfg.temperature - catalogue.log_q(clicked)
    same = clicked[:, None] == clicked[None, :]
    off_diagonal = ~torch.eye(len(clicked), dtype=torch.bool)
    logits = logits.masked_fill(same & off_diagonal, -1e4)
    in_batch = F.cross_entropy(logits, torch.arange(len(clicked)), reduction="none")

    # sampled negatives
    ids = catalogue.sample(len(clicked), NUM_NEGATIVES)
    vectors = model.item_tower(catalogue.features(ids.flatten()))
    negatives = vectors.view(len(clicked), NUM_NEGATIVES, -1)
    scores = model.sampled_scores(user, item, negatives)
    target = torch.zeros(len(clicked), dtype=torch.long)
    sampled = F.cross_entropy(scores, target, reduction="none")
    return ((in_batch + 0.5 * sampled) * weight).mean()


@torch.no_grad()
def recall_at(model: TwoTower, catalogue: Catalogue, user_features, clicked: Tensor, k: int = 20) -> float:
    model.eval()
    everything = model.item_tower(catalogue.features(torch.arange(1, model.cfg.num_items)))
    scores = model.user_tower(user_features) @ everything.T
    seen = user_features["history"]
    blocked = torch.zeros(len(scores), model.cfg.num_items, dtype=torch.bool)
    blocked.scatter_(1, seen, True)
    scores = scores.masked_fill(blocked[:, 1:], float("-inf"))
    top = scores.topk(k, dim=1).indices + 1
    model.train()
    return (top == clicked[:, None]).any(dim=1).float().mean().item()


def run() -> None:
    torch.manual_seed(7)
    cfg = TowerConfig()
    model = TwoTower(cfg)
    catalogue = Catalogue(cfg)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for step, (user, clicked, weight) in enumerate(impressions(cfg, steps=2)):
        loss = train_step(model, catalogue, user, clicked, weight)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())
    user, clicked, _ = next(impressions(cfg, steps=1))
    log.info("recall@20 %.3f", recall_at(model, catalogue, user, clicked))


if __name__ == "__main__":
    run()
