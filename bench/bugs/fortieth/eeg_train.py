# ====================================================
# CFG
# ====================================================
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset

from eeg_models import HMSModel

CFG = dict(
    seed=42,
    n_samples=32,
    n_leads=10,
    fs=128,
    seconds=4,
    n_classes=6,
    n_meta=5,
    n_fft=64,
    hop=16,
    folds=2,
    bs=8,
    max_batches=2,
    lr=1e-3,
    mixup_alpha=0.4,
    label_smooth=0.02,
)

random.seed(CFG["seed"])
torch.manual_seed(CFG["seed"])


# ====================================================
# data
# ====================================================
def fake_competition(n):
    t = torch.arange(CFG["fs"] * CFG["seconds"]) / CFG["fs"]
    label = torch.randint(0, CFG["n_classes"], (n,))
    freq = 1.0 + 2.0 * label.float()
    phase = torch.rand(n, CFG["n_leads"], 1) * 6.28
    eeg = torch.sin(6.28 * freq[:, None, None] * t + phase) + 0.5 * torch.randn(n, CFG["n_leads"], len(t))
    votes = torch.randint(0, 4, (n, CFG["n_classes"]))
    votes[torch.arange(n), label] += 8
    meta = torch.randn(n, CFG["n_meta"])
    patient = torch.randint(0, 9, (n,))
    return eeg * 40.0, votes, meta, patient


class EEGDataset(Dataset):
    def __init__(self, eeg, votes, meta, train=True):
        self.eeg, self.votes, self.meta, self.train = eeg, votes, meta, train
        # double banana like re-referencing: each lead minus the mean of all
        self.ref = torch.eye(CFG["n_leads"]) - 1.0 / CFG["n_leads"]

    def __len__(self):
        return len(self.eeg)

    def augment(self, x):
        if random.random() < 0.5:                      # flip left/right hemisphere
            order = torch.tensor([6, 7, 4, 5, 2, 3, 0, 1, 8, 9])
            x = x[order]
        if random.random() < 0.9:                      # time stretch by resampling
            rate = random.uniform(0.8, 1.0)
            pos = (torch.arange(x.size(1)) * rate).long()
            x = x[:, pos]
        if random.random() < 0.5:                      # drop a few leads
            keep = torch.rand(x.size(0)) > 0.1
            x = x * keep[:, None]
        return x

    def __getitem__(self, i):
        x = self.ref @ self.eeg[i]
        x = x.clamp(-1024, 1024) / 32.0
        if self.train:
            x = self.augment(x)
        votes = self.votes[i].float()
        target = votes / votes.sum()
        weight = votes.sum() / 20.0
        return x, self.meta[i], target, weight


def mixup(x, meta, y):
    lam = torch.distributions.Beta(CFG["mixup_alpha"], CFG["mixup_alpha"]).sample((x.size(0),))
    perm = torch.randperm(x.size(0))
    x = lam[:, None, None] * x + (1 - lam[:, None, None]) * x[perm]
    meta = lam[:, None] * meta + (1 - lam[:, None]) * meta[perm]
    y = lam[:, None] * y + (1 - lam[:, None]) * y[perm]
    return x, meta, y


def kl_loss(logits, target, weight):
    target = (1 - CFG["label_smooth"]) * target + CFG["label_smooth"] / CFG["n_classes"]
    logp = F.log_softmax(logits, dim=1)
    loss = F.kl_div(logp, target, reduction="none").sum(dim=1)
    return (loss * weight).sum() / weight.sum()


# ====================================================
# folds
# ====================================================
def run_fold(fold, ds_train, ds_valid, fold_of):
    tr = torch.nonzero(fold_of != fold).flatten()
    va = torch.nonzero(fold_of == fold).flatten()
    train_loader = DataLoader(Subset(ds_train, tr.tolist()), batch_size=CFG["bs"], shuffle=True, drop_last=True)
    valid_loader = DataLoader(Subset(ds_valid, va.tolist()), batch_size=CFG["bs"])

    model = HMSModel(CFG)
    opt = torch.optim.AdamW(model.parameters(), lr=CFG["lr"], weight_decay=1e-2)
    model.train()
    for it, (x, meta, y, w) in enumerate(train_loader):
        if it == CFG["max_batches"]:
            break
        x, meta, y = mixup(x, meta, y)
        logits = model(x, meta)
        loss = kl_loss(logits, y, w)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        opt.step()
        print(f"fold {fold} it {it} loss {loss.item():.4f}")

    model.eval()
    preds = []
    with torch.no_grad():
        for x, meta, y, w in valid_loader:
            p = model(x, meta).softmax(dim=1)
            p_flip = model(x.flip(-1), meta).softmax(dim=1)       # TTA
            preds.append((p + p_flip) / 2)
    return va, torch.cat(preds)


eeg, votes, meta, patient = fake_competition(CFG["n_samples"])
ds_train = EEGDataset(eeg, votes, meta, train=True)
ds_valid = EEGDataset(eeg, votes, meta, train=False)
fold_of = patient % CFG["folds"]

oof = torch.zeros(CFG["n_samples"], CFG["n_classes"])
for fold in range(CFG["folds"]):
    va, preds = run_fold(fold, ds_train, ds_valid, fold_of)
    oof[va] = preds

truth = votes / votes.sum(dim=1, keepdim=True)
cv = F.kl_div(oof.clamp(min=1e-7).log(), truth, reduction="batchmean")
acc = (oof.argmax(dim=1) == votes.argmax(dim=1)).float().mean()
print(f"CV {cv.item():.4f}  acc {acc.item():.3f}")
