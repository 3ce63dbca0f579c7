# 12-lead ECG, multi-label. Baseline: SE-ResNet1d + meta. LB 0.81x
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class CFG:
    seed = 42
    n_leads = 12
    sig_len = 500
    fs = 100
    classes = ["NORM", "AFIB", "PVC", "LBBB", "STEMI"]
    n_meta = 4
    stem = 32
    widths = [32, 64, 96]
    kernel = 7
    se_ratio = 8
    emb = 64
    bs = 6
    lr = 2e-3
    n_folds = 2
    steps = 2
    mixup = 0.4
    crops = 3


def seed_everything(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


def fake_ecg(n):
    t = np.arange(CFG.sig_len) / CFG.fs
    X, M, Y = [], [], []
    for _ in range(n):
        rate = np.random.uniform(0.8, 2.0)
        phase = np.random.uniform(0, 6, (CFG.n_leads, 1))
        X.append(np.sin(2 * np.pi * rate * t + phase) ** 15 + 0.05 * np.random.randn(CFG.n_leads, CFG.sig_len))
        M.append([np.random.randint(20, 90), np.random.randint(0, 2), np.random.normal(170, 9), rate * 60])
        Y.append(np.random.rand(len(CFG.classes)) < 0.3)
    return np.array(X), np.array(M), np.array(Y)


class ECGDataset(Dataset):
    def __init__(self, X, M, Y, train=True):
        self.X, self.M, self.Y = X, M, Y
        self.train = train
        self.mean = M.mean(0)
        self.std = M.std(0) + 1e-6

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        x = self.X[i].copy()
        if self.train:
            if random.random() < 0.5:
                x = np.roll(x, random.randint(0, CFG.sig_len - 1), axis=1)
            lead = random.randrange(CFG.n_leads)
            x[lead] = 0
        m = (self.M[i] - self.mean) / self.std
        return (
            torch.tensor(x, dtype=torch.float32),
            torch.tensor(m, dtype=torch.float32),
            torch.tensor(self.Y[i], dtype=torch.float32),
        )


class SE(nn.Module):
    def __init__(self, ch, ratio=CFG.se_ratio):
        super().__init__()
        self.fc1 = nn.Linear(ch, ch // ratio)
        self.fc2 = nn.Linear(ch // ratio, ch)

    def forward(self, x):
        s = x.mean(-1)
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s.unsqueeze(-1)


class Block(nn.Module):
    def __init__(self, cin, cout, k=CFG.kernel, stride=2):
        super().__init__()
        self.conv1 = nn.Conv1d(cin, cout, k, stride=stride, padding=k // 2, bias=False)
        self.bn1 = nn.BatchNorm1d(cout)
        self.conv2 = nn.Conv1d(cout, cout, k, padding=k // 2, groups=4, bias=False)
        self.bn2 = nn.BatchNorm1d(cout)
        self.se = SE(cout)
        self.down = nn.Sequential(nn.AvgPool1d(stride, ceil_mode=True), nn.Conv1d(cin, cout, 1, bias=False))

    def forward(self, x):
        out = F.silu(self.bn1(self.conv1(x)))
        out = self.se(self.bn2(self.conv2(out)))
        return F.silu(out + self.down(x))


class GeM(nn.Module):
    def __init__(self, p=3.0):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1) * p)

    def forward(self, x):
        return F.avg_pool1d(x.clamp(min=1e-6).pow(self.p), x.size(-1)).pow(1 / self.p).squeeze(-1)


class LeadMixer(nn.Module):
    """every lead looks at the others before the trunk"""

    def __init__(self, n_leads, patch=20, dim=24):
        super().__init__()
        self.patch = patch
        self.to_q = nn.Linear(patch, dim)
        self.to_kv = nn.Linear(patch, 2 * dim)
        self.out = nn.Linear(dim, patch)
        self.scale = 1 / math.sqrt(dim)

    def forward(self, x):
        b, c, t = x.shape
        p = x.view(b, c, t // self.patch, self.patch).transpose(1, 2)  # b, n, c, patch
        q = self.to_q(p)
        k, v = self.to_kv(p).chunk(2, dim=-1)
        att = (q @ k.transpose(-1, -2) * self.scale).softmax(-1)
        y = self.out(att @ v).transpose(1, 2).reshape(b, c, t)
        return x + y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mixer = LeadMixer(CFG.n_leads)
        self.stem = nn.Conv1d(CFG.n_leads, CFG.stem, 15, stride=2, padding=7)
        blocks, c = [], CFG.stem
        for w in CFG.widths:
            blocks.append(Block(c, w))
            c = w
        self.blocks = nn.ModuleList(blocks)
        self.pool = GeM()
        self.meta = nn.Sequential(nn.Linear(CFG.n_meta, 16), nn.BatchNorm1d(16), nn.SiLU())
        self.emb = nn.Linear(c + 16, CFG.emb)
        self.head = nn.Linear(CFG.emb, len(CFG.classes))

    def forward(self, x, meta):
        x = self.stem(self.mixer(x))
        for block in self.blocks:
            x = block(x)
        f = torch.cat([self.pool(x), self.meta(meta)], dim=1)
        return self.head(F.dropout(F.silu(self.emb(f)), 0.2, self.training))


def mixup(x, m, y):
    lam = float(np.random.beta(CFG.mixup, CFG.mixup))
    perm = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[perm], lam * m + (1 - lam) * m[perm], lam * y + (1 - lam) * y[perm]


def tta(model, x, m):
    """mean over shifted copies"""
    b = x.size(0)
    shifts = torch.stack([x.roll(s * 50, dims=-1) for s in range(CFG.crops)], dim=1)
    logits = model(shifts.flatten(0, 1), m.repeat_interleave(CFG.crops, dim=0))
    return logits.view(b, CFG.crops, -1).sigmoid().mean(1)


def run_fold(fold, X, M, Y):
    idx = np.arange(len(X))
    va = idx % CFG.n_folds == fold
    dl = DataLoader(ECGDataset(X[~va], M[~va], Y[~va]), batch_size=CFG.bs, shuffle=True)
    dv = DataLoader(ECGDataset(X[va], M[va], Y[va], train=False), batch_size=CFG.bs)
    model = Net()
    opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
    pos = torch.tensor(Y[~va].mean(0), dtype=torch.float32).clamp(0.05, 0.95)
    crit = nn.BCEWithLogitsLoss(pos_weight=(1 - pos) / pos)
    for step, (x, m, y) in enumerate(dl):
        if step == CFG.steps:
            break
        x, m, y = mixup(x, m, y)
        loss = crit(model(x, m), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    oof = torch.zeros(len(X), len(CFG.classes))
    with torch.no_grad():
        preds = torch.cat([tta(model, x, m) for x, m, _ in dv])
    oof[torch.from_numpy(va)] = preds
    print(f"fold {fold} loss {loss.item():.4f}")
    return oof


seed_everything(CFG.seed)
X, M, Y = fake_ecg(16)
oof = sum(run_fold(f, X, M, Y) for f in range(CFG.n_folds))
target = torch.from_numpy(Y).float()
best = [max((2 * ((oof[:, c] > th) * target[:, c]).sum() / ((oof[:, c] > th).sum() + target[:, c].sum()).clamp(min=1)).item()
            for th in (0.3, 0.5, 0.7)) for c in range(len(CFG.classes))]
print("CV f1", np.round(np.mean(best), 4))
