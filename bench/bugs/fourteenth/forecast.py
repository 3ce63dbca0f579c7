"""Series decomposed into trend and season, forecast by mixed patches and an inverted transformer."""

import torch
from torch import nn


class RevIN(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.affine_weight = nn.Parameter(torch.ones(num_features))
        self.affine_bias = nn.Parameter(torch.zeros(num_features))

    def forward(self, x, mode):
        if mode == "norm":
            self.mean = x.mean(dim=1, keepdim=True).detach()
            self.stdev = torch.sqrt(x.var(dim=1, keepdim=True, unbiased=False) + self.eps).detach()
            return (x - self.mean) / self.stdev * self.affine_weight + self.affine_bias
        x = (x - self.affine_bias) / (self.affine_weight + self.eps)
        return x * self.stdev + self.mean


class SeriesDecomp(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size
        self.avg = nn.AvgPool1d(kernel_size, stride=1)

    def forward(self, x):
        pad = (self.kernel_size - 1) // 2
        front = x[:, :1, :].repeat(1, pad, 1)
        end = x[:, -1:, :].repeat(1, pad, 1)
        padded = torch.cat([front, x, end], dim=1)
        trend = self.avg(padded.permute(0, 2, 1)).permute(0, 2, 1)
        return x - trend, trend


class PatchEmbedding(nn.Module):
    def __init__(self, d_model, patch_len, stride, num_patches):
        super().__init__()
        self.patch_len = patch_len
        self.stride = stride
        self.proj = nn.Linear(patch_len, d_model)
        self.pos = nn.Parameter(torch.zeros(1, num_patches, d_model))

    def forward(self, x):
        # x: [B, C, L]
        b, c, _ = x.shape
        x = x.unfold(-1, self.patch_len, self.stride)
        x = x.reshape(b * c, x.size(2), x.size(3))
        return self.proj(x) + self.pos


class FullAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, queries, keys, values):
        B, L, _ = queries.shape
        S, H = keys.size(1), self.n_heads
        q = self.query(queries).view(B, L, H, -1)
        k = self.key(keys).view(B, S, H, -1)
        v = self.value(values).view(B, S, H, -1)
        scores = torch.einsum("blhe,bshe->bhls", q, k) / q.size(-1) ** 0.5
        A = torch.softmax(scores, dim=-1)
        V = torch.einsum("bhls,bshd->blhd", A, v)
        return self.out(V.reshape(B, L, -1))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = FullAttention(d_model, n_heads)
        self.conv1 = nn.Conv1d(d_model, d_ff, 1)
        self.conv2 = nn.Conv1d(d_ff, d_model, 1)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        x = self.norm1(x + self.attention(x, x, x))
        y = torch.relu(self.conv1(x.transpose(1, 2)))
        y = self.conv2(y).transpose(1, 2)
        return self.norm2(x + y)


class Forecaster(nn.Module):
    def __init__(self, configs):
        super().__init__()
        self.pred_len = configs["pred_len"]
        self.revin = RevIN(configs["enc_in"])
        self.decomp = SeriesDecomp(configs["moving_avg"])
        num_patches = (configs["seq_len"] - configs["patch_len"]) // configs["stride"] + 1
        self.embed = PatchEmbedding(configs["d_model"], configs["patch_len"], configs["stride"], num_patches)
        self.encoder = nn.ModuleList(
            [EncoderLayer(configs["d_model"], configs["n_heads"], configs["d_ff"]) for _ in range(configs["e_layers"])]
        )
        self.head = nn.Linear(configs["d_model"] * num_patches, configs["pred_len"])
        self.trend = nn.Linear(configs["seq_len"], configs["pred_len"])

    def forward(self, x):
        x = self.revin(x, "norm")
        season, trend = self.decomp(x)
        b, _, c = season.shape
        z = self.embed(season.permute(0, 2, 1))
        for layer in self.encoder:
            z = layer(z)
        z = self.head(z.reshape(b, c, -1)).permute(0, 2, 1)
        z = z + self.trend(trend.permute(0, 2, 1)).permute(0, 2, 1)
        return self.revin(z, "denorm")


class Experiment(nn.Module):
    def __init__(self, configs):
        super().__init__()
        self.model = Forecaster(configs)
        self.criterion = nn.L1Loss()

    def training_step(self, batch):
        past, future = batch
        return self.criterion(self.model(past), future)


CONFIGS = {
    "seq_len": 96,
    "pred_len": 24,
    "enc_in": 7,
    "moving_avg": 25,
    "patch_len": 16,
    "stride": 8,
    "d_model": 64,
    "n_heads": 4,
    "d_ff": 128,
    "e_layers": 2,
}


if __name__ == "__main__":
    experiment = Experiment(CONFIGS)
    print(experiment.training_step((torch.randn(8, 96, 7), torch.randn(8, 24, 7))))
