"""The recommender: tables, interactions, experts and one tower per task."""

import torch
from torch import nn

from . import config as cfg
from .layers import CrossLayer, DotInteraction, HistoryEncoder, MultiGateMixture, mlp


class Recommender(nn.Module):
    def __init__(self, tables=cfg.TABLES, dim=cfg.EMBEDDING_DIM, num_dense=cfg.NUM_DENSE, model=cfg.MODEL):
        super().__init__()
        self.tasks = model["tasks"]
        self.tables = nn.ModuleDict({name: nn.Embedding(rows, dim) for name, rows in tables.items()})
        self.tags = nn.EmbeddingBag(50, dim, mode="mean")
        self.bottom = mlp(num_dense, model["bottom_mlp"])
        self.history = HistoryEncoder(dim, model["heads"], cfg.MAX_HISTORY)
        num_features = len(tables) + 3
        self.interact = DotInteraction(num_features)
        self.cross = nn.ModuleList([CrossLayer(num_features * dim) for _ in range(2)])
        joined = self.interact.out_features + num_features * dim
        self.mixture = MultiGateMixture(joined, model["expert_dim"], model["num_experts"], len(self.tasks))
        self.towers = nn.ModuleDict(
            {task: mlp(model["expert_dim"], [*model["top_mlp"], 1], final_activation=False) for task in self.tasks}
        )

    def forward(self, batch):
        dense = self.bottom(batch["dense"])
        sparse = [self.tables[name](batch[name]) for name in self.tables]
        tags = self.tags(batch["tags"])
        past = self.history(self.tables["item"](batch["history"]), sparse[1], batch["history"] == 0)
        features = [dense, tags, past, *sparse]
        pairs = self.interact(features)
        x0 = x = torch.cat(features, dim=-1)
        for layer in self.cross:
            x = layer(x0, x)
        experts = self.mixture(torch.cat([x, pairs], dim=-1))
        return {task: self.towers[task](out).squeeze(-1) for task, out in zip(self.tasks, experts)}
