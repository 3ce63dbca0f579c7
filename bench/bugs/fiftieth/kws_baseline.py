# keyword spotting, DS-CNN baseline, LB 0.87 -> try attention + max pooling head
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader


class CFG:
    seed = 42
    sr = 4000
    seconds = 0.8
    n_fft = 128
    hop = 40
    n_mels = 40
    n_classes = 10
    channels = [16, 24, 32]
    drop = 0.2
    bs = 8
    n_train = 32
    n_valid = 16
    n_folds = 2
    lr = 1e-3
    mixup_alpha = 0.4
    max_steps = 2


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


# ------------------------------------------------------------------ data
def synth(label, n):
    t = np.arange(n) / CFG.sr
    f0 = 150 + 120 * label
    sweep = 1 + 0.3 * np.sin(2 * np.pi * (1 + label % 3) * t)
    x = np.sin(2 * np.pi * f0 * sweep * t) + 0.3 * np.random.randn(n)
    return x.astype(np.float32)


class KwsDataset(Dataset):
    def __init__(self, n, train=True):
        length = int(CFG.sr * CFG.seconds)
        self.y = np.random.randint(0, CFG.n_classes, n)
        self.x = np.stack([synth(c, length) for c in self.y])
        self.train = train

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.train:
            x = np.roll(x, np.random.randint(-200, 200))
        return torch.from_numpy(x), self.y[i]


# ------------------------------------------------------------------ features
def mel_filters(n_mels, n_fft, sr):
    hz2mel = lambda f: 2595 * math.log10(1 + f / 700)
    mel2hz = lambda m: 700 * (10 ** (m / 2595) - 1)
    mels = torch.linspace(hz2mel(20), hz2mel(sr / 2), n_mels + 2)
    pts = torch.tensor([mel2hz(m) for m in mels.tolist()])
    freqs = torch.linspace(0, sr / 2, n_fft // 2 + 1)
    up = (freqs[:, None] - pts[None, :-2]) / (pts[1:-1] - pts[:-2])
    down = (pts[None, 2:] - freqs[:, None]) / (pts[2:] - pts[1:-1])
    return torch.minimum(up, down).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(CFG.n_fft))
        self.register_buffer("fb", mel_filters(CFG.n_mels, CFG.n_fft, CFG.sr))

    def forward(self, wave):
        frames = wave.unfold(-1, CFG.n_fft, CFG.hop) * self.window
        power = torch.fft.rfft(frames).abs() ** 2
        mel = torch.log(power @ self.fb + 1e-6)
        mel = (mel - mel.mean(dim=(1, 2), keepdim=True)) / mel.std(dim=(1, 2), keepdim=True)
        return mel.transpose(1, 2).unsqueeze(1)      # bs, 1, mels, time


def spec_augment(spec, max_f=6, max_t=10):
    spec = spec.clone()
    for i in range(spec.size(0)):
        f0 = random.randint(0, spec.size(2) - max_f)
        t0 = random.randint(0, spec.size(3) - max_t)
        spec[i, :, f0:f0 + random.randint(1, max_f)] = 0
        spec[i, :, :, t0:t0 + random.randint(1, max_t)] = 0
    return spec


# ------------------------------------------------------------------ model
class DSConv(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.dw = nn.Conv2d(c_in, c_in, 3, stride=stride, padding=1, groups=c_in, bias=False)
        self.bn1 = nn.BatchNorm2d(c_in)
        self.pw = nn.Conv2d(c_in, c_out, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)

    def forward(self, x):
        x = F.relu(self.bn1(self.dw(x)))
        return F.relu(self.bn2(self.pw(x)))


class SE(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.fc1 = nn.Linear(c, c // r)
        self.fc2 = nn.Linear(c // r, c)

    def forward(self, x):
        s = x.mean(dim=(2, 3))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s[:, :, None, None]


class KwsNet(nn.Module):
    def __init__(self):
        super().__init__()
        c1, c2, c3 = CFG.channels
        self.feats = LogMel()
        self.stem = nn.Conv2d(1, c1, (5, 5), stride=(2, 2), padding=2, bias=False)
        self.bn = nn.BatchNorm2d(c1)
        self.b1 = DSConv(c1, c2, stride=2)
        self.b2 = DSConv(c2, c3, stride=(2, 1))
        self.se = SE(c3)
        self.freq = nn.Conv2d(c3, c3, (5, 1))        # 40 mels / 8 -> 1
        self.att = nn.Linear(c3, 1)
        self.drop = nn.Dropout(CFG.drop)
        self.head = nn.Linear(2 * c3, CFG.n_classes)

    def forward(self, wave):
        x = self.feats(wave)
        if self.training:
            x = spec_augment(x)
        x = F.relu(self.bn(self.stem(x)))
        x = self.se(self.b2(self.b1(x)))
        x = F.relu(self.freq(x)).squeeze(2)          # bs, c, time
        mx = x.max(dim=2).values
        x = x.transpose(1, 2)
        w = self.att(x).softmax(dim=1)
        avg = (x * w).sum(dim=1)
        x = torch.cat([avg, mx], dim=1)
        return self.head(self.drop(x))


# ------------------------------------------------------------------ train
def mixup(x, y):
    lam = np.random.beta(CFG.mixup_alpha, CFG.mixup_alpha)
    perm = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


def train_fn(model, loader, opt):
    model.train()
    losses = []
    for step, (x, y) in enumerate(loader):
        x, ya, yb, lam = mixup(x, y)
        out = model(x.float())
        loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
        if step + 1 == CFG.max_steps:
            break
    return np.mean(losses)


@torch.no_grad()
def valid_fn(model, loader):
    model.eval()
    preds, gts = [], []
    for x, y in loader:
        preds.append(model(x).softmax(dim=1))
        gts.append(y)
    return torch.cat(preds), torch.cat(gts)


def macro_f1(prob, y):
    cm = torch.zeros(CFG.n_classes, CFG.n_classes)
    for t, p in zip(y.tolist(), prob.argmax(1).tolist()):
        cm[t, p] += 1
    tp = cm.diag()
    f1 = 2 * tp / (cm.sum(0) + cm.sum(1)).clamp(min=1)
    return f1.mean().item()


def run():
    seed_everything(CFG.seed)
    valid = DataLoader(KwsDataset(CFG.n_valid, train=False), batch_size=CFG.bs)
    ens = 0
    for fold in range(CFG.n_folds):
        train = DataLoader(KwsDataset(CFG.n_train), batch_size=CFG.bs, shuffle=True)
        model = KwsNet()
        opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
        loss = train_fn(model, train, opt)
        prob, y = valid_fn(model, valid)
        ens = ens + prob / CFG.n_folds
        print(f"fold {fold} loss {loss:.4f} f1 {macro_f1(prob, y):.4f}")
    print(f"ensemble f1 {macro_f1(ens, y):.4f}")


if __name__ == "__main__":
    run()
