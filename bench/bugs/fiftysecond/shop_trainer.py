"""Train the towers on sampled items, and see how high the bought ones are ranked."""
from functools import partial

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from shop_sessions import Batch, ShopConfig, collate, make_sessions
from shop_tower import TwoTowers


class Trainer:
    def __init__(self, cfg: ShopConfig):
        self.cfg = cfg
        self.model = TwoTowers(cfg)
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        make = dict(batch_size=cfg.batch, collate_fn=partial(collate, cfg))
        self.train_loader = DataLoader(make_sessions(cfg, 240, seed=0), shuffle=True, **make)
        self.valid_loader = DataLoader(make_sessions(cfg, 96, seed=1), **make)

    def loss(self, batch: Batch) -> torch.Tensor:
        target = batch.target.unsqueeze(1)
        score = self.model(batch.past, torch.cat([target, batch.negatives], dim=1))
        again = batch.negatives == target
        score = score.masked_fill(F.pad(again, (1, 0)), -1e9)
        first = torch.zeros(len(score), dtype=torch.long, device=score.device)
        return F.cross_entropy(score, first)

    def train_epoch(self) -> float:
        self.model.train()
        losses = []
        for batch in self.train_loader:
            loss = self.loss(batch)
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()
            losses.append(loss.detach())
        return torch.stack(losses).mean().item()

    @torch.no_grad()
    def validate(self, top: int = 10) -> float:
        self.model.eval()
        ranks = []
        for batch in self.valid_loader:
            score = self.model.score_all(batch.past)
            bought = score.gather(1, batch.target.unsqueeze(1))
            ranks.append((score > bought).sum(dim=1))
        return (torch.cat(ranks) < top).float().mean().item()

    def fit(self) -> None:
        for epoch in range(self.cfg.epochs):
            print(f"epoch {epoch}: {self.train_epoch():.3f}, recall {self.validate():.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(ShopConfig()).fit()
