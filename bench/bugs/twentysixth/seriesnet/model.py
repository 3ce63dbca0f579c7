from dataclasses import dataclass

import torch
import torch.nn as nn

from .layers import AutoCorrelation, RevIN, SeriesDecomp


@dataclass
class SeriesConfig:
    enc_in: int = 7
    seq_len: int = 96
    label_len: int = 48
    pred_len: int = 24
    d_model: int = 32
    n_heads: int = 4
    d_ff: int = 64
    e_layers: int = 2
    moving_avg: int = 25
    time_marks: int = 4


class DataEmbedding(nn.Module):
    def __init__(self, c_in, d_model, marks):
        super().__init__()
        self.token = nn.Conv1d(c_in, d_model, kernel_size=3, padding=1, padding_mode="circular", bias=False)
        self.mark = nn.Linear(marks, d_model, bias=False)

    def forward(self, x, x_mark):
        return self.token(x.permute(0, 2, 1)).transpose(1, 2) + self.mark(x_mark)


class EncoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attention = AutoCorrelation(cfg.d_model, cfg.n_heads)
        self.conv1 = nn.Conv1d(cfg.d_model, cfg.d_ff, 1, bias=False)
        self.conv2 = nn.Conv1d(cfg.d_ff, cfg.d_model, 1, bias=False)
        self.decomp1, self.decomp2 = SeriesDecomp(cfg.moving_avg), SeriesDecomp(cfg.moving_avg)

    def forward(self, x):
        x, _ = self.decomp1(x + self.attention(x, x, x))
        y = self.conv2(torch.relu(self.conv1(x.transpose(-1, 1)))).transpose(-1, 1)
        season, _ = self.decomp2(x + y)
        return season


class DecoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.self_attention = AutoCorrelation(cfg.d_model, cfg.n_heads)
        self.cross_attention = AutoCorrelation(cfg.d_model, cfg.n_heads)
        self.decomp1, self.decomp2 = SeriesDecomp(cfg.moving_avg), SeriesDecomp(cfg.moving_avg)
        self.projection = nn.Conv1d(cfg.d_model, cfg.enc_in, 3, padding=1, padding_mode="circular")

    def forward(self, x, memory):
        x, trend1 = self.decomp1(x + self.self_attention(x, x, x))
        x, trend2 = self.decomp2(x + self.cross_attention(x, memory, memory))
        trend = self.projection((trend1 + trend2).permute(0, 2, 1)).transpose(1, 2)
        return x, trend


class SeriesNet(nn.Module):
    def __init__(self, cfg: SeriesConfig):
        super().__init__()
        self.cfg = cfg
        self.revin = RevIN(cfg.enc_in)
        self.decomp = SeriesDecomp(cfg.moving_avg)
        self.enc_embedding = DataEmbedding(cfg.enc_in, cfg.d_model, cfg.time_marks)
        self.dec_embedding = DataEmbedding(cfg.enc_in, cfg.d_model, cfg.time_marks)
        self.encoder = nn.ModuleList([EncoderLayer(cfg) for _ in range(cfg.e_layers)])
        self.norm = nn.LayerNorm(cfg.d_model)
        self.decoder = DecoderLayer(cfg)
        self.head = nn.Linear(cfg.d_model, cfg.enc_in)

    def forward(self, x_enc, x_mark_enc, x_mark_dec):
        cfg = self.cfg
        x_enc = self.revin.normalize(x_enc)
        mean = x_enc.mean(dim=1, keepdim=True).repeat(1, cfg.pred_len, 1)
        zeros = x_enc.new_zeros(x_enc.size(0), cfg.pred_len, cfg.enc_in)
        season, trend = self.decomp(x_enc)
        trend_init = torch.cat([trend[:, -cfg.label_len :], mean], dim=1)
        season_init = torch.cat([season[:, -cfg.label_len :], zeros], dim=1)
        memory = self.enc_embedding(x_enc, x_mark_enc)
        for layer in self.encoder:
            memory = layer(memory)
        memory = self.norm(memory)
        x = self.dec_embedding(season_init, x_mark_dec)
        season_part, trend_part = self.decoder(x, memory)
        out = trend_init + trend_part + self.head(season_part)
        return self.revin.restore(out[:, -cfg.pred_len :])
