# 12-lead ECG -> rhythm classes. ResNet1d front, BiLSTM, attention pooling, patient data (age, sex) late fusion
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

LEADS = 12
CLASSES = ["NSR", "AF", "AFL", "PVC", "LBBB", "RBBB", "STD"]


class ECGDataset(Dataset):
    def __init__(self, n=24, fs=100, seconds=10):
        rng = np.random.default_rng(0)
        self.signals = rng.normal(size=(n, LEADS, fs * seconds)).astype(np.float32)
        self.age = rng.uniform(20, 90, size=(n, 1)).astype(np.float32)
        self.sex = rng.integers(0, 2, size=n)
        self.labels = (rng.random((n, len(CLASSES))) < 0.2).astype(np.float32)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, i):
        return (
            torch.from_numpy(self.signals[i]),
            torch.from_numpy(self.age[i]) / 100,
            torch.tensor(self.sex[i]),
            torch.from_numpy(self.labels[i]),
        )


class SEBlock(nn.Module):
    def __init__(self, channels, reduction=8):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)

    def forward(self, x):
        s = x.mean(dim=2)
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s.unsqueeze(-1)


class ResBlock1d(nn.Module):
    def __init__(self, in_ch, out_ch, stride=1, k=7, dropout=0.2):
        super().__init__()
        self.conv1 = nn.Conv1d(in_ch, out_ch, k, stride=stride, padding=k // 2, bias=False)
        self.bn1 = nn.BatchNorm1d(out_ch)
        self.conv2 = nn.Conv1d(out_ch, out_ch, k, padding=k // 2, bias=False)
        self.bn2 = nn.BatchNorm1d(out_ch)
        self.se = SEBlock(out_ch)
        self.drop = nn.Dropout(dropout)
        self.shortcut = nn.Identity()
        if stride != 1 or in_ch != out_ch:
            self.shortcut = nn.Sequential(
                nn.Conv1d(in_ch, out_ch, 1, stride=stride, bias=False), nn.BatchNorm1d(out_ch)
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.drop(out)
        out = self.se(self.bn2(self.conv2(out)))
        return F.relu(out + self.shortcut(x))


class AttentionPool(nn.Module):
    def __init__(self, dim, hidden=64):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, h):
        scores = self.v(torch.tanh(self.W(h))).squeeze(-1)
        alpha = F.softmax(scores, dim=1)
        return torch.bmm(alpha.unsqueeze(1), h).squeeze(1), alpha


class ECGNet(nn.Module):
    def __init__(self, n_classes=7, widths=(32, 64, 96), lstm_hidden=64):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(LEADS, widths[0], 15, stride=2, padding=7),
            nn.BatchNorm1d(widths[0]),
            nn.ReLU(),
            nn.MaxPool1d(3, stride=2, padding=1),
        )
        blocks, c = [], widths[0]
        for w in widths:
            blocks += [ResBlock1d(c, w, stride=2), ResBlock1d(w, w)]
            c = w
        self.blocks = nn.Sequential(*blocks)
        self.lstm = nn.LSTM(c, lstm_hidden, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.pool = AttentionPool(2 * lstm_hidden)
        self.sex_emb = nn.Embedding(2, 4)
        self.demo = nn.Sequential(nn.Linear(1 + 4, 16), nn.ReLU())
        self.head = nn.Sequential(
            nn.Linear(2 * lstm_hidden + 16, 64),
            nn.BatchNorm1d(64),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(64, n_classes),
        )

    def forward(self, signal, age, sex):
        x = self.blocks(self.stem(signal))
        h, _ = self.lstm(x.permute(0, 2, 1))
        pooled, alpha = self.pool(h)
        demo = self.demo(torch.cat([age, self.sex_emb(sex)], dim=1))
        return self.head(torch.cat([pooled, demo], dim=1)), alpha


def train(epochs=1):
    loader = DataLoader(ECGDataset(), batch_size=8, shuffle=True)
    model = ECGNet()
    pos_weight = torch.full((len(CLASSES),), 4.0)
    criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for signal, age, sex, y in loader:
            logits, alpha = model(signal, age, sex)
            loss = criterion(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


if __name__ == "__main__":
    train()
