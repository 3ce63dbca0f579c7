# ============================================================
# Tumor survival | tabular + histology tile | 3 folds baseline
# v7: attention fusion, discrete hazards, cox aux loss
# ============================================================
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, Subset


class CFG:
    seed = 42
    n_rows = 48
    img_size = 32
    n_bins = 6
    n_folds = 3
    bs = 8
    max_steps = 2
    lr = 2e-3
    dim = 32
    heads = 4
    num_cols = ["age", "bmi", "ki67", "tumor_mm", "nodes"]
    cat_cols = {"stage": 4, "site": 7, "sex": 2}
    aux_w = 0.1


def seed_everything(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


seed_everything(CFG.seed)


def make_train():
    n = CFG.n_rows
    num = np.random.randn(n, len(CFG.num_cols))
    cat = np.stack([np.random.randint(0, c, n) for c in CFG.cat_cols.values()], axis=1)
    img = np.random.randint(0, 255, (n, CFG.img_size, CFG.img_size, 3), dtype=np.uint8)
    risk = 0.8 * num[:, 2] + 0.5 * cat[:, 0] + 0.3 * num[:, 4]
    time = np.random.exponential(24 * np.exp(-0.5 * risk))
    event = (np.random.rand(n) < 0.65).astype(np.int64)
    return {"num": num, "cat": cat, "img": img, "time": time, "event": event}


df = make_train()
edges = np.quantile(df["time"], np.linspace(0, 1, CFG.n_bins + 1)[1:-1])
df["bin"] = np.digitize(df["time"], edges)


class TumorDS(Dataset):
    def __init__(self, df, aug=False):
        self.df, self.aug = df, aug
        self.mean = df["num"].mean(0)
        self.std = df["num"].std(0) + 1e-6

    def __len__(self):
        return len(self.df["time"])

    def __getitem__(self, i):
        num = (self.df["num"][i] - self.mean) / self.std
        img = torch.from_numpy(self.df["img"][i]).permute(2, 0, 1).float() / 255
        if self.aug and np.random.rand() < 0.5:
            img = img.flip(-1)
        return {
            "num": torch.tensor(num, dtype=torch.float32),
            "cat": torch.tensor(self.df["cat"][i]),
            "img": img,
            "time": torch.tensor(self.df["time"][i], dtype=torch.float32),
            "event": torch.tensor(self.df["event"][i], dtype=torch.float32),
            "bin": torch.tensor(self.df["bin"][i]),
        }


class TabNet(nn.Module):
    def __init__(self):
        super().__init__()
        emb_dims = [min(16, (c + 1) // 2) for c in CFG.cat_cols.values()]
        self.embs = nn.ModuleList([nn.Embedding(c, d) for c, d in zip(CFG.cat_cols.values(), emb_dims)])
        self.bn = nn.BatchNorm1d(len(CFG.num_cols))
        self.mlp = nn.Sequential(
            nn.Linear(sum(emb_dims) + len(CFG.num_cols), 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(64, CFG.dim), nn.ReLU(),
        )

    def forward(self, num, cat):
        e = [emb(cat[:, i]) for i, emb in enumerate(self.embs)]
        return self.mlp(torch.cat(e + [self.bn(num)], dim=1))


class TileCNN(nn.Module):
    def __init__(self, chans=(3, 12, 24)):
        super().__init__()
        blocks = []
        for a, b in zip(chans[:-1], chans[1:]):
            blocks += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]
        self.body = nn.Sequential(*blocks)
        self.proj = nn.Linear(chans[-1], CFG.dim)
        n_tokens = (CFG.img_size // 4) ** 2
        self.pos = nn.Parameter(torch.zeros(1, n_tokens, CFG.dim))

    def forward(self, img):
        f = self.body(img)
        tokens = f.flatten(2).transpose(1, 2)
        return self.proj(tokens) + self.pos


class SurvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.tab = TabNet()
        self.cnn = TileCNN()
        self.att = nn.MultiheadAttention(CFG.dim, CFG.heads, batch_first=True)
        self.norm = nn.LayerNorm(CFG.dim)
        self.hazard = nn.Linear(2 * CFG.dim, CFG.n_bins)
        self.risk = nn.Linear(2 * CFG.dim, 1)

    def forward(self, b):
        t = self.tab(b["num"], b["cat"])
        tokens = self.cnn(b["img"])
        ctx, w = self.att(t.unsqueeze(1), tokens, tokens)
        x = torch.cat([t, self.norm(ctx.squeeze(1))], dim=1)
        return self.hazard(x), self.risk(x).squeeze(-1), w


def nll_surv(logits, bins, event, eps=1e-6):
    h = torch.sigmoid(logits)
    surv = torch.cumprod(1 - h, dim=1)
    surv = torch.cat([torch.ones(len(h), 1), surv], dim=1)
    idx = bins.unsqueeze(1)
    s_prev = surv.gather(1, idx).clamp(min=eps).squeeze(1)
    h_this = h.gather(1, idx).clamp(min=eps).squeeze(1)
    s_this = surv.gather(1, idx + 1).clamp(min=eps).squeeze(1)
    uncensored = event * (s_prev.log() + h_this.log())
    censored = (1 - event) * s_this.log()
    return -(uncensored + censored).mean()


def cox_loss(risk, time, event):
    order = time.argsort(descending=True)
    risk, event = risk[order], event[order]
    log_cum = torch.logcumsumexp(risk, dim=0)
    return -((risk - log_cum) * event).sum() / event.sum().clamp(min=1)


def c_index(risk, time, event):
    dt = time[:, None] < time[None, :]
    ok = dt & (event[:, None] > 0)
    conc = (risk[:, None] > risk[None, :]) & ok
    return (conc.sum() / ok.sum().clamp(min=1)).item()


def brier(logits, bins, event):
    """share alive after each bin vs. prediction (only rows with an event)"""
    surv = torch.cumprod(1 - logits.sigmoid(), dim=1)
    alive = (torch.arange(CFG.n_bins)[None] < bins[:, None]).float()
    rows = event > 0
    return F.binary_cross_entropy(surv[rows], alive[rows]).item(), (surv - alive)[rows].pow(2).mean(0)


def run_fold(fold, folds):
    val_idx = folds[fold]
    trn_idx = np.concatenate([f for k, f in enumerate(folds) if k != fold])
    trn = DataLoader(Subset(TumorDS(df, aug=True), trn_idx), batch_size=CFG.bs, shuffle=True, drop_last=True)
    val = DataLoader(Subset(TumorDS(df), val_idx), batch_size=CFG.bs)
    model = SurvNet()
    opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
    sch = torch.optim.lr_scheduler.OneCycleLR(opt, CFG.lr, total_steps=CFG.max_steps + 1)
    for step, b in enumerate(trn):
        if step == CFG.max_steps:
            break
        logits, risk, _ = model(b)
        loss = nll_surv(logits, b["bin"], b["event"]) + CFG.aux_w * cox_loss(risk, b["time"], b["event"])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sch.step()
    model.eval()
    oof = torch.zeros(len(val_idx), CFG.n_bins)
    risks, k = [], 0
    with torch.no_grad():
        for b in val:
            logits, risk, _ = model(b)
            oof[k:k + len(logits)] = logits
            risks.append(risk)
            k += len(logits)
    time = torch.tensor(df["time"][val_idx])
    event = torch.tensor(df["event"][val_idx])
    bins = torch.tensor(df["bin"][val_idx])
    bce, per_bin = brier(oof, bins, event)
    score = c_index(torch.cat(risks), time, event)
    print(f"fold {fold} loss {loss.item():.3f} c-index {score:.3f} bce {bce:.3f} worst bin {int(per_bin.argmax())}")
    return score


folds = np.array_split(np.random.permutation(CFG.n_rows), CFG.n_folds)
scores = [run_fold(f, folds) for f in range(CFG.n_folds)]
print("CV", np.mean(scores))
