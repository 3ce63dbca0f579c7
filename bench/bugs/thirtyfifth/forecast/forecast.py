import argparse
import numpy as np
import torch
import torch.nn as nn
from blocks import PositionalEncoding, RevIN, TemporalEncoder, padding_mask, quantile_loss

QUANTILES = [0.1, 0.5, 0.9]


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--history", type=int, default=36)
    p.add_argument("--horizon", type=int, default=12)
    p.add_argument("--series", type=int, default=3)
    p.add_argument("--d-model", type=int, default=32)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--batch", type=int, default=4)
    p.add_argument("--steps", type=int, default=2)
    return p.parse_args()


def make_batch(args, rng):
    total = args.history + args.horizon
    t = np.arange(total)[None, :, None] + rng.integers(0, 24, size=(args.batch, 1, 1))
    phase = rng.uniform(0, np.pi, size=(1, 1, args.series))
    values = 10 + 3 * np.sin(2 * np.pi * t / 24 + phase) + 0.2 * rng.normal(size=(args.batch, total, args.series))
    hour = t[..., 0] % 24
    weekday = t[..., 0] // 24 % 7
    lengths = rng.integers(args.history // 2, args.history + 1, size=args.batch)
    return {
        "values": torch.tensor(values, dtype=torch.float32),
        "hour": torch.from_numpy(hour),
        "weekday": torch.from_numpy(weekday),
        "lengths": torch.from_numpy(lengths),
        "store": torch.from_numpy(rng.integers(0, 5, size=args.batch)),
    }


class Covariates(nn.Module):
    """Calendar and store embeddings -> (batch, time, 12)"""

    def __init__(self):
        super().__init__()
        self.hour = nn.Embedding(24, 4)
        self.weekday = nn.Embedding(7, 4)
        self.store = nn.Embedding(5, 4)
        self.out_features = 12

    def forward(self, hour, weekday, store):
        calendar = torch.cat([self.hour(hour), self.weekday(weekday)], dim=-1)
        static = self.store(store).unsqueeze(1).expand(-1, hour.size(1), -1)
        return torch.cat([calendar, static], dim=-1)


class Forecaster(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.horizon = args.horizon
        self.series = args.series
        self.revin = RevIN(args.series)
        self.covariates = Covariates()
        self.encoder = TemporalEncoder(args.series + self.covariates.out_features, 24, args.d_model)
        self.query = nn.Linear(self.covariates.out_features, args.d_model)
        self.position = PositionalEncoding(args.d_model)
        layer = nn.TransformerDecoderLayer(args.d_model, args.heads, 64, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, num_layers=1)
        self.head = nn.Linear(args.d_model, args.series * len(QUANTILES))

    def forward(self, past, hour, weekday, store, lengths):
        b, history, _ = past.shape
        x, stats = self.revin.normalise(past)
        cov = self.covariates(hour, weekday, store)
        past_cov, future_cov = cov.split([history, self.horizon], dim=1)
        memory = self.position(self.encoder(torch.cat([x, past_cov], dim=-1)))
        query = self.position(self.query(future_cov), offset=history)
        causal = torch.triu(torch.ones(self.horizon, self.horizon, dtype=torch.bool), diagonal=1)
        pad = padding_mask(lengths, history)
        out = self.decoder(query, memory, tgt_mask=causal, memory_key_padding_mask=pad)
        out = self.head(out).view(b, self.horizon, self.series, len(QUANTILES))
        return self.revin.denormalise(out, stats)


def coverage(pred, target):
    low, _, high = pred.unbind(dim=-1)
    inside = (target >= low) & (target <= high)
    return inside.float().mean(dim=(0, 1))


def main():
    args = parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    model = Forecaster(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    weight = torch.linspace(1.0, 0.5, args.horizon).view(1, -1, 1)
    for step in range(args.steps):
        batch = make_batch(args, rng)
        past, future = batch["values"].split([args.history, args.horizon], dim=1)
        pred = model(past, batch["hour"], batch["weekday"], batch["store"], batch["lengths"])
        loss = quantile_loss(pred, future, QUANTILES, weight)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        cover = coverage(pred.detach(), future)
        print(step, round(loss.item(), 4), [round(c, 2) for c in cover.tolist()])


if __name__ == "__main__":
    main()
