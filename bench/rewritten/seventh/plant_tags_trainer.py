"""Multi-label tags for herbarium sheets, from precomputed image features."""
import torch
from torch import nn


class TagTrainer:
    def __init__(self, net, tag_weight, lr=3e-3):
        self.net = net
        self.tag_weight = tag_weight
        self.criterion = nn.BCELoss(reduction="none")
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    def step(self, feats, tags):
        self.opt.zero_grad()
        logits = self.net(feats)
        probs = torch.sigmoid(logits)
        per_tag = self.criterion(probs, tags)
        loss = (per_tag * self.tag_weight).mean()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            hits = ((probs > 0.5) == (tags > 0.5)).float().mean()
        return loss.detach(), hits

    def fit(self, batches, epochs):
        for epoch in range(epochs):
            for feats, tags in batches:
                loss, hits = self.step(feats, tags)
            print(f"epoch {epoch}: loss {float(loss):.3f}, hits {float(hits):.2%}")


if __name__ == "__main__":
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 6))
    data = [(torch.randn(16, 20), torch.randint(0, 2, (16, 6)).float()) for _ in range(4)]
    TagTrainer(net, torch.tensor([1.0, 1.0, 2.0, 0.5, 1.0, 3.0])).fit(data, 3)
