# %% [markdown]
# Motor imagery, 22 channels at 128 Hz, 4 classes.  EEGNet and then a small transformer on its features.
# %%
import math

import torch
from torch import nn

n_trials, n_channels, n_times, n_classes = 32, 22, 256, 4
X = torch.randn(n_trials, n_channels, n_times)
y = torch.randint(n_classes, (n_trials,))


# %%
class EEGNet(nn.Module):
    def __init__(self, n_channels, F1=8, D=2, F2=16, kern=64):
        super().__init__()
        self.temporal = nn.Conv2d(1, F1, (1, kern), padding="same", bias=False)
        self.bn1 = nn.BatchNorm2d(F1)
        self.spatial = nn.Conv2d(F1, F1 * D, (n_channels, 1), groups=F1, bias=False)
        self.bn2 = nn.BatchNorm2d(F1 * D)
        self.pool1 = nn.AvgPool2d((1, 4))
        self.sep_depth = nn.Conv2d(F1 * D, F1 * D, (1, 16), padding="same", groups=F1 * D, bias=False)
        self.sep_point = nn.Conv2d(F1 * D, F2, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(F2)
        self.pool2 = nn.AvgPool2d((1, 8))
        self.act = nn.ELU()

    def forward(self, x):
        x = x.unsqueeze(1)
        x = self.bn1(self.temporal(x))
        x = self.pool1(self.act(self.bn2(self.spatial(x))))
        x = self.sep_point(self.sep_depth(x))
        x = self.pool2(self.act(self.bn3(x)))
        return x.squeeze(2)


# %%
class SinePositions(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Decoder(nn.Module):
    def __init__(self, n_channels, n_classes, d_model=32, nhead=4):
        super().__init__()
        self.features = EEGNet(n_channels)
        self.proj = nn.Linear(16, d_model)
        self.positions = SinePositions(d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(d_model, n_classes)

    def forward(self, x):
        z = self.features(x).transpose(1, 2)
        z = self.positions(self.proj(z))
        z = self.encoder(z)
        return self.out(z.mean(1))


# %%
model = Decoder(n_channels, n_classes)
opt = torch.optim.Adam(model.parameters(), 1e-3)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
for _ in range(2):
    for i in range(0, n_trials, 16):
        xb, yb = X[i : i + 16], y[i : i + 16]
        logits = model(xb)
        loss = loss_fn(logits, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())
