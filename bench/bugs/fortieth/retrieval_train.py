"""Entry point of the training job."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader

from retrieval_data import Catalog, CatalogSpec, ClickDataset
from retrieval_model import ModelConfig, RetrievalModel

logger = logging.getLogger(__name__)


@dataclass
class JobConfig:
    batch_size: int = 8
    max_steps: int = 2
    lr: float = 1e-3
    ranking_weight: float = 0.3
    recall_at: int = 10
    model: ModelConfig = field(default_factory=ModelConfig)
    catalog: CatalogSpec = field(default_factory=CatalogSpec)


def encode_items(model: RetrievalModel, catalog: Catalog, ids: Tensor) -> Tensor:
    tags, offsets = catalog.tag_bag(ids)
    return model.item_tower(ids, catalog.category[ids], catalog.price[ids], tags, offsets)


def train_step(model: RetrievalModel, catalog: Catalog, batch: dict[str, Tensor], cfg: JobConfig) -> dict[str, Tensor]:
    user = model.user_tower(batch["history"], batch["numeric"])
    item = encode_items(model, catalog, batch["target"])
    retrieval = model.retrieval_loss(user, item, batch["target"])
    intent = model.ranking(user, item)
    ranking = F.binary_cross_entropy_with_logits(intent, batch["purchased"])
    return {"retrieval": retrieval, "ranking": ranking, "total": retrieval + cfg.ranking_weight * ranking}


@torch.no_grad()
def recall(model: RetrievalModel, catalog: Catalog, loader: DataLoader, k: int) -> float:
    model.eval()
    index = encode_items(model, catalog, torch.arange(1, catalog.spec.num_items + 1))
    hits, total = 0.0, 0
    for batch in loader:
        user = model.user_tower(batch["history"], batch["numeric"])
        scores = model.similarity(user, index)
        seen = torch.zeros(len(scores), catalog.spec.num_items + 1, dtype=torch.bool)
        seen.scatter_(1, batch["history"], True)
        scores = scores.masked_fill(seen[:, 1:], float("-inf"))
        top = scores.topk(k, dim=-1).indices + 1
        hits += (top == batch["target"].unsqueeze(1)).any(dim=1).float().sum().item()
        total += len(scores)
    model.train()
    return hits / total


def run(cfg: JobConfig) -> None:
    torch.manual_seed(7)
    catalog = Catalog(cfg.catalog)
    dataset = ClickDataset(catalog)
    loader = DataLoader(dataset, batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    model = RetrievalModel(cfg.catalog, cfg.model)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for step, batch in enumerate(loader):
        if step == cfg.max_steps:
            break
        losses = train_step(model, catalog, batch, cfg)
        optimizer.zero_grad(set_to_none=True)
        losses["total"].backward()
        optimizer.step()
        logger.info("step=%d %s", step, {name: round(value.item(), 4) for name, value in losses.items()})
    logger.info("recall@%d=%.3f", cfg.recall_at, recall(model, catalog, loader, cfg.recall_at))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    run(JobConfig())
