"""Attention-based multiple-instance learning on slides."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from slide_data import SlideBags, collate_bags

CFG = {
    "data": {"slides": 32, "features": 24, "min_tiles": 8, "max_tiles": 20},
    "model": {"hidden": 32, "clinic": 3, "dropout": 0.1},
    "train": {"batch": 8, "epochs": 4, "lr": 3e-3},
}


class GatedAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        half = dim // 2
        self.what = nn.Linear(dim, half)
        self.gate = nn.Linear(dim, half, bias=False)
        self.score = nn.Linear(half, 1)

    def forward(self, h, filled):
        gated = torch.tanh(self.what(h)) * torch.sigmoid(self.gate(h))
        scores = self.score(gated).squeeze(-1)
        scores = torch.where(filled, scores, -1e9)
        return F.softmax(scores, dim=1)


class SlideModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        m = cfg["model"]
        self.embed = nn.Sequential(
            nn.Linear(cfg["data"]["features"], m["hidden"]),
            nn.ReLU(),
            nn.Dropout(m["dropout"]),
        )
        self.attend = GatedAttention(m["hidden"])
        self.head = nn.Linear(m["hidden"] + m["clinic"], 1)

    def forward(self, batch):
        h = self.embed(batch["tiles"])
        weights = self.attend(h, batch["filled"])
        slide = (weights.unsqueeze(-1) * h).sum(dim=1)
        slide = torch.cat([slide, batch["clinic"]], dim=1)
        out = self.head(slide).squeeze(-1)
        return {"logit": out, "weights": weights}


def run_epoch(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total, right, count = 0.0, 0, 0
    for batch in loader:
        with torch.set_grad_enabled(optimizer is not None):
            out = model(batch)
            loss = F.binary_cross_entropy_with_logits(out["logit"], batch["label"])
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        n = batch["label"].numel()
        total += loss.item() * n
        right += ((out["logit"] > 0) == (batch["label"] > 0.5)).sum().item()
        count += n
    return total / count, right / count


if __name__ == "__main__":
    torch.manual_seed(7)
    train = DataLoader(SlideBags(CFG["data"], 1), CFG["train"]["batch"], shuffle=True, collate_fn=collate_bags)
    test = DataLoader(SlideBags(CFG["data"], 2), CFG["train"]["batch"], collate_fn=collate_bags)
    net = SlideModel(CFG)
    adam = torch.optim.Adam(net.parameters(), lr=CFG["train"]["lr"])
    for epoch in range(CFG["train"]["epochs"]):
        loss, acc = run_epoch(net, train, adam)
        print(f"epoch {epoch}: loss {loss:.3f} accuracy {acc:.2f}")
    print("test: loss %.3f accuracy %.2f" % run_epoch(net, test))
