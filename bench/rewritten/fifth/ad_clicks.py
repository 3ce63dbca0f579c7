# click model for the banner team; table features only
import torch
from torch import nn
from torch.nn import functional as F


class ClickTower(nn.Module):
    def __init__(self, n_fields, vocab, k=8):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(vocab, k) for _ in range(n_fields))
        self.mlp = nn.Sequential(nn.Linear(n_fields * k, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, cats):
        emb = [table(cats[:, i]) for i, table in enumerate(self.tables)]
        return self.mlp(torch.cat(emb, dim=1))


def weighted_logloss(score, clicked, importance):
    """Importance-weighted log loss of a batch of impressions."""
    prob = torch.sigmoid(score)
    prob = prob.squeeze(-1)
    total = F.binary_cross_entropy(prob, clicked.float(), weight=importance, reduction="sum")
    return total / importance.sum()


def fit(model, batches, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    history = []
    for cats, clicked, importance in batches:
        opt.zero_grad()
        loss = weighted_logloss(model(cats), clicked, importance)
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


if __name__ == "__main__":
    torch.manual_seed(3)
    data = [
        (torch.randint(0, 50, (64, 5)), torch.rand(64) < 0.1, 0.5 + torch.rand(64))
        for _ in range(6)
    ]
    print(["%.4f" % v for v in fit(ClickTower(5, 50), data)])
