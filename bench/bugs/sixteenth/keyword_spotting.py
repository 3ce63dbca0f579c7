"""Keywords in one second of sound: log-mel frames, convolutions, a GRU."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F

N_MELS = 40
FRAMES = 98
KEYWORDS = ["yes", "no", "up", "down", "left", "right", "silence", "unknown"]


class SpecBlock(nn.Module):
    def __init__(self, n_in, n_out, pool=(2, 2)):
        super().__init__()
        self.conv = nn.Conv2d(n_in, n_out, (3, 3), padding=(1, 1))
        self.bn = nn.BatchNorm2d(n_out)
        self.pool = nn.MaxPool2d(pool)

    def forward(self, x):
        return self.pool(F.relu(self.bn(self.conv(x))))


class KeywordNet(nn.Module):
    def __init__(self, n_mels=N_MELS, hidden=96, n_classes=len(KEYWORDS)):
        super().__init__()
        self.hidden = hidden
        self.input_norm = nn.BatchNorm1d(n_mels)
        self.block1 = SpecBlock(1, 16)
        self.block2 = SpecBlock(16, 32, pool=(2, 1))
        self.gru = nn.GRU(32 * (n_mels // 4), hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.attn = nn.Linear(2 * hidden, 1)
        self.fc = nn.Sequential(nn.Linear(2 * hidden, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, n_classes))

    def forward(self, mel):
        # mel: [B, n_mels, T]
        x = self.input_norm(mel)
        x = x.unsqueeze(1)
        x = self.block1(x)
        x = self.block2(x)
        b, c, f, t = x.size()
        x = x.permute(0, 3, 1, 2).contiguous().view(b, t, c * f)
        h0 = torch.zeros(4, b, self.hidden, device=x.device)
        out, _ = self.gru(x, h0)
        alpha = torch.softmax(self.attn(out), dim=1)
        context = torch.bmm(alpha.transpose(1, 2), out).squeeze(1)
        return self.fc(context)


def mixup(x, y, n_classes, lam=0.7):
    order = torch.randperm(x.size(0))
    target = F.one_hot(y, n_classes).float()
    return lam * x + (1 - lam) * x[order], lam * target + (1 - lam) * target[order]


def train(args):
    net = KeywordNet(hidden=args.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for _ in range(args.steps):
        mel = torch.randn(args.batch, N_MELS, FRAMES)
        labels = torch.randint(0, len(KEYWORDS), (args.batch,))
        mixed, target = mixup(mel, labels, len(KEYWORDS))
        logits = net(mixed)
        loss = -(target * F.log_softmax(logits, dim=1)).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits = (logits.argmax(1) == labels).float().mean()
        print(f"{loss.item():.3f} {hits.item():.2f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=96)
    p.add_argument("--batch", type=int, default=6)
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-3)
    train(p.parse_args())
