"""Forecasts from patches of each channel by itself, with reversible normalisation (after PatchTST)."""

import torch
from torch import nn


class RevIN(nn.Module):
    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(channels))
        self.beta = nn.Parameter(torch.zeros(channels))

    def normalize(self, x):
        self.mean = x.mean(dim=1, keepdim=True).detach()
        self.std = torch.sqrt(x.var(dim=1, keepdim=True, unbiased=False) + self.eps).detach()
        return (x - self.mean) / self.std * self.gamma + self.beta

    def denormalize(self, y):
        return (y - self.beta) / self.gamma * self.std + self.mean


class PatchEmbedding(nn.Module):
    def __init__(self, patch_len, stride, d_model, max_patches):
        super().__init__()
        self.patch_len, self.stride = patch_len, stride
        self.pad = nn.ReplicationPad1d((0, stride))
        self.value = nn.Linear(patch_len, d_model)
        self.position = nn.Parameter(torch.zeros(1, max_patches, d_model))

    def forward(self, x):
        n_vars = x.shape[1]
        x = self.pad(x).unfold(dimension=-1, size=self.patch_len, step=self.stride)
        x = x.reshape(x.shape[0] * x.shape[1], x.shape[2], x.shape[3])
        x = self.value(x)
        return x + self.position[:, : x.shape[1]], n_vars


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.conv1 = nn.Conv1d(d_model, d_ff, kernel_size=1)
        self.conv2 = nn.Conv1d(d_ff, d_model, kernel_size=1)
        self.norm1 = nn.BatchNorm1d(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        attended, weights = self.attention(x, x, x)
        x = self.norm1((x + attended).transpose(1, 2)).transpose(1, 2)
        y = torch.relu(self.conv1(x.transpose(1, 2)))
        y = self.conv2(y).transpose(1, 2)
        return self.norm2(x + y), weights


class PatchForecaster(nn.Module):
    def __init__(self, seq_len=96, pred_len=24, channels=5, patch_len=16, stride=8, d_model=42, n_heads=6, layers=2):
        super().__init__()
        self.revin = RevIN(channels)
        n_patches = (seq_len - patch_len) // stride + 2
        self.embedding = PatchEmbedding(patch_len, stride, d_model, n_patches)
        self.encoder = nn.ModuleList([EncoderLayer(d_model, n_heads, 2 * d_model) for _ in range(layers)])
        self.head = nn.Sequential(nn.Flatten(start_dim=-2), nn.Linear(n_patches * d_model, pred_len))
        self.covariates = nn.Linear(3, channels)

    def forward(self, x, future):
        x = self.revin.normalize(x)
        tokens, n_vars = self.embedding(x.permute(0, 2, 1))
        for layer in self.encoder:
            tokens, _ = layer(tokens)
        tokens = tokens.reshape(-1, n_vars, tokens.shape[-2], tokens.shape[-1])
        y = self.head(tokens).permute(0, 2, 1)
        y = y + self.covariates(future)
        return self.revin.denormalize(y)


model = PatchForecaster()
history, future, target = torch.randn(4, 96, 5), torch.randn(4, 24, 3), torch.randn(4, 24, 5)
loss = nn.functional.huber_loss(model(history, future), target)
loss.backward()
