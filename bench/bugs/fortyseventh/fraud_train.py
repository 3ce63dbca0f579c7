# click fraud, 2nd place-ish :) single fold, synthetic data so that it runs anywhere
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from fraud_net import FraudNet


class CFG:
    seed = 42
    cardinalities = [40, 12, 25, 9]  # app, device, os, channel
    n_nums = 5
    max_hist = 10
    emb_dim = 8
    gru_hidden = 16
    cross_layers = 2
    rank = 4
    hidden = [64, 32]
    dropout = 0.1
    bs = 16
    lr = 1e-3
    steps = 2
    dwell_weight = 0.2
    pos_weight = 4.0


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_clicks(n):
    cats = np.stack([np.random.randint(0, c, n) for c in CFG.cardinalities], axis=1)
    nums = np.random.lognormal(size=(n, CFG.n_nums)).astype(np.float32)
    hists = [np.random.randint(1, CFG.cardinalities[0] + 1, np.random.randint(1, 16)) for _ in range(n)]
    gaps = [np.random.exponential(size=len(h)).astype(np.float32) for h in hists]
    y = (np.random.rand(n) < 0.2).astype(np.float32)
    dwell = np.log1p(np.random.exponential(30, n)).astype(np.float32)
    return cats, nums, hists, gaps, y, dwell


class ClickDataset(Dataset):
    def __init__(self, data):
        self.cats, self.nums, self.hists, self.gaps, self.y, self.dwell = data

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        hist = torch.from_numpy(self.hists[i])[-CFG.max_hist:]
        gaps = torch.from_numpy(self.gaps[i])[-CFG.max_hist:]
        n = len(hist)
        padded_hist = torch.zeros(CFG.max_hist, dtype=torch.long)
        padded_gaps = torch.zeros(CFG.max_hist)
        padded_hist[:n] = hist
        padded_gaps[:n] = gaps
        x = (torch.from_numpy(self.cats[i]), torch.from_numpy(self.nums[i]).log1p(), padded_hist, padded_gaps, n)
        return x, self.y[i], self.dwell[i]


def loss_fn(logit, dwell, y, dwell_true):
    weight = torch.tensor(CFG.pos_weight)
    fraud_loss = F.binary_cross_entropy_with_logits(logit, y, pos_weight=weight)
    # dwell time is only known for the honest clicks
    honest = y == 0
    dwell_loss = F.smooth_l1_loss(dwell[honest], dwell_true[honest])
    return fraud_loss + CFG.dwell_weight * dwell_loss


def auc(y, p):
    order = p.argsort()
    ranks = torch.empty_like(p)
    ranks[order] = torch.arange(1, len(p) + 1, dtype=p.dtype)
    pos = y.sum()
    neg = len(y) - pos
    return ((ranks[y == 1].sum() - pos * (pos + 1) / 2) / (pos * neg)).item()


def valid_fn(model, loader):
    model.eval()
    preds, ys = [], []
    with torch.no_grad():
        for x, y, _ in loader:
            logit, _ = model(*x)
            preds.append(logit.sigmoid())
            ys.append(y)
    return auc(torch.cat(ys), torch.cat(preds))


def train_fn():
    seed_everything(CFG.seed)
    train_loader = DataLoader(ClickDataset(make_clicks(64)), batch_size=CFG.bs, shuffle=True, drop_last=True)
    valid_loader = DataLoader(ClickDataset(make_clicks(40)), batch_size=CFG.bs)
    model = FraudNet(CFG)
    opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, CFG.lr, total_steps=CFG.steps)
    model.train()
    for step, (x, y, dwell_true) in enumerate(train_loader):
        if step == CFG.steps:
            break
        logit, dwell = model(*x)
        loss = loss_fn(logit, dwell, y, dwell_true)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(f"[{step}] loss={loss.item():.4f}")
    print("auc", valid_fn(model, valid_loader))


if __name__ == "__main__":
    train_fn()
