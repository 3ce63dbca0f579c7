"""A patch transformer for many time series at once, with reversible normalisation and quantiles."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class RevIN(nn.Module):
    def __init__(self, n_series, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(n_series))
        self.shift = nn.Parameter(torch.zeros(n_series))

    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        std = x.std(dim=1, keepdim=True) + self.eps
        return (x - mean) / std * self.scale + self.shift, mean, std

    def back(self, y, mean, std):
        y = (y - self.shift[:, None, None]) / (self.scale[:, None, None] + self.eps)
        return y * std.transpose(1, 2).unsqueeze(-1) + mean.transpose(1, 2).unsqueeze(-1)


class PatchEmbedding(nn.Module):
    def __init__(self, patch, stride, dim, n_patches):
        super().__init__()
        self.patch, self.stride = patch, stride
        self.proj = nn.Linear(patch, dim)
        self.pos = nn.Parameter(torch.randn(n_patches, dim) * 0.02)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = x.transpose(1, 2).unfold(-1, self.patch, self.stride)
        return self.drop(self.proj(x) + self.pos)


class EncoderLayer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, dropout=0.1, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.norm1 = nn.BatchNorm1d(dim)
        self.norm2 = nn.BatchNorm1d(dim)

    def forward(self, x, causal):
        y, _ = self.attn(x, x, x, attn_mask=causal, need_weights=False)
        x = self.norm1((x + y).transpose(1, 2)).transpose(1, 2)
        x = x + self.ff(x)
        x = self.norm2(x.transpose(1, 2)).transpose(1, 2)
        return x


class Forecaster(nn.Module):
    def __init__(self, n_series=5, past=48, future=12, patch=8, stride=4, dim=32, heads=4, depth=2):
        super().__init__()
        self.quantiles = (0.1, 0.5, 0.9)
        self.future = future
        n_patches = (past - patch) // stride + 1
        self.revin = RevIN(n_series)
        self.embed = PatchEmbedding(patch, stride, dim, n_patches)
        self.layers = nn.ModuleList(EncoderLayer(dim, heads) for _ in range(depth))
        self.head = nn.Linear(n_patches * dim, future * 3)
        self.mix = nn.Linear(n_series, n_series)
        self.regime = nn.Linear(dim, 4)
        mask = torch.triu(torch.ones(n_patches, n_patches, dtype=torch.bool), diagonal=1)
        self.register_buffer("causal", mask, persistent=False)
        self.register_buffer("season", torch.hann_window(past).view(1, -1, 1))

    def forward(self, x):
        x, mean, std = self.revin(x)
        x = x + 0.1 * self.season
        x = self.embed(x)
        b, n, p, d = x.shape
        x = x.reshape(b * n, p, d)
        for layer in self.layers:
            x = layer(x, self.causal)
        regime = self.regime(x.mean(dim=1)).view(b, n, -1)
        y = self.head(x.reshape(b, n, p * d)).view(b, n, self.future, 3)
        y = y + self.mix(y.transpose(1, 3)).transpose(1, 3)
        return self.revin.back(y, mean, std), regime


class PinballLoss(nn.Module):
    def __init__(self, quantiles=(0.1, 0.5, 0.9)):
        super().__init__()
        self.register_buffer("q", torch.tensor(quantiles))

    def forward(self, pred, target):
        error = target.unsqueeze(-1) - pred
        return torch.maximum(self.q * error, (self.q - 1) * error).mean()


class ForecastTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Forecaster()
        self.loss = PinballLoss()

    def forward(self, past, future, regime):
        pred, logits = self.model(past)
        loss = self.loss(pred, future.transpose(1, 2))
        entropy = F.cross_entropy(logits.flatten(0, 1), regime.flatten())
        point = F.mse_loss(pred[..., 1], future.transpose(1, 2))
        return loss + 0.1 * entropy + 0.01 * point


def main():
    task = ForecastTask()
    optimizer = torch.optim.AdamW(task.parameters(), lr=1e-3)
    for _ in range(2):
        loss = task(torch.randn(6, 48, 5), torch.randn(6, 12, 5), torch.randint(0, 4, (6, 5)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
