import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from vqa_data import ANSWERS, WORDS, Squares, collate
from vqa_model import VQAConfig, VQANet


class Trainer:
    def __init__(self, cfg, lr=2e-3, batch_size=6, entropy_weight=0.01):
        self.cfg = cfg
        self.model = VQANet(cfg)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.entropy_weight = entropy_weight
        self.train_loader = DataLoader(Squares(12, seed=1), batch_size=batch_size, collate_fn=collate)
        self.val_loader = DataLoader(Squares(6, seed=2), batch_size=batch_size, collate_fn=collate)

    def loss(self, batch):
        logits, maps = self.model(batch["images"], batch["questions"], batch["lengths"])
        answer_loss = F.cross_entropy(logits, batch["answers"], label_smoothing=0.05)
        # maps is [batch, hops, regions, glimpses]
        entropy = -(maps * maps.clamp_min(1e-8).log()).sum(dim=2)
        return answer_loss + self.entropy_weight * entropy.mean(), logits

    def fit(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            for batch in self.train_loader:
                loss, _ = self.loss(batch)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.3f}", self.evaluate())

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        hits = torch.zeros(len(ANSWERS))
        totals = torch.zeros(len(ANSWERS))
        for batch in self.val_loader:
            _, logits = self.loss(batch)
            right = (logits.argmax(dim=-1) == batch["answers"]).float()
            hits.index_add_(0, batch["answers"], right)
            totals = totals + F.one_hot(batch["answers"], len(ANSWERS)).sum(dim=0)
        per_answer = hits / totals.clamp_min(1)
        return {a: round(v, 2) for a, v in zip(ANSWERS, per_answer.tolist())}


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = Trainer(VQAConfig(vocab=len(WORDS), answers=len(ANSWERS)))
    trainer.fit(epochs=1)
