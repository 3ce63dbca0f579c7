"""A streaming recogniser: convolutions, LSTM over packed frames, prediction net and joint (RNN-T)."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


@dataclass
class Config:
    n_mels: int = 40
    channels: int = 16
    enc_hidden: int = 64
    enc_layers: int = 2
    pred_embed: int = 32
    pred_hidden: int = 48
    joint_dim: int = 56
    vocab: int = 29
    blank: int = 28
    stack: int = 2


class ConvFrontEnd(nn.Module):
    """Halves the time twice and the mels twice."""

    def __init__(self, channels, n_mels):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, channels, 3, stride=2, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, stride=(1, 2), padding=1),
            nn.ReLU(),
        )
        self.out_dim = channels * (n_mels // 4)

    def forward(self, feats, lengths):
        x = self.conv(feats.unsqueeze(1))
        b, c, t, f = x.shape
        x = x.permute(0, 2, 1, 3).reshape(b, t, c * f)
        return x, (lengths + 1) // 2


def stack_frames(x, lengths, n):
    b, t, d = x.shape
    t = t - t % n
    return x[:, :t].reshape(b, t // n, n * d), lengths // n


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.front = ConvFrontEnd(cfg.channels, cfg.n_mels)
        self.rnn = nn.LSTM(
            self.front.out_dim * cfg.stack, cfg.enc_hidden, cfg.enc_layers, batch_first=True, bidirectional=True
        )
        self.proj = nn.Linear(2 * cfg.enc_hidden, cfg.joint_dim)

    def forward(self, feats, lengths):
        x, lengths = self.front(feats, lengths)
        x, lengths = stack_frames(x, lengths, self.cfg.stack)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, lengths = pad_packed_sequence(out, batch_first=True)
        return self.proj(out), lengths


class Predictor(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.blank = cfg.blank
        self.embed = nn.Embedding(cfg.vocab, cfg.pred_embed, padding_idx=cfg.blank)
        self.rnn = nn.GRU(cfg.pred_embed, cfg.pred_hidden, batch_first=True)
        self.proj = nn.Linear(cfg.pred_hidden, cfg.joint_dim)

    def forward(self, labels, state=None):
        start = labels.new_full((labels.size(0), 1), self.blank)
        x = self.embed(torch.cat([start, labels], dim=1))
        out, state = self.rnn(x, state)
        return self.proj(out), state


class Joint(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.out = nn.Sequential(nn.Tanh(), nn.Linear(cfg.joint_dim, cfg.vocab))

    def forward(self, enc, pred):
        return self.out(enc.unsqueeze(2) + pred.unsqueeze(1))


class Transducer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.encoder, self.predictor, self.joint = Encoder(cfg), Predictor(cfg), Joint(cfg)

    def forward(self, feats, lengths, labels):
        enc, enc_lengths = self.encoder(feats, lengths)
        pred, _ = self.predictor(labels)
        return self.joint(enc, pred).log_softmax(-1), enc_lengths


def transducer_loss(log_probs, labels, frames, label_lengths, blank):
    """Forward variables over the lattice, row by row."""
    B, T, U, V = log_probs.shape
    blanks = log_probs[..., blank]
    index = labels[:, None, :, None].expand(B, T, U - 1, 1)
    emits = log_probs[:, :, :-1].gather(3, index).squeeze(3)
    alpha = torch.cat([blanks.new_zeros(B, 1), emits[:, 0].cumsum(1)], dim=1)
    rows = [alpha]
    for t in range(1, T):
        stay = rows[-1] + blanks[:, t - 1]
        row = [stay[:, 0]]
        for u in range(1, U):
            row.append(torch.logaddexp(stay[:, u], row[-1] + emits[:, t, u - 1]))
        rows.append(torch.stack(row, dim=1))
    lattice = torch.stack(rows, dim=1)
    batch = torch.arange(B)
    last = lattice[batch, frames - 1, label_lengths]
    return -(last + blanks[batch, frames - 1, label_lengths]).mean()


def collate(samples):
    feats, labels = zip(*samples)
    lengths = torch.tensor([f.size(0) for f in feats])
    label_lengths = torch.tensor([len(y) for y in labels])
    return (
        pad_sequence(feats, batch_first=True),
        lengths,
        pad_sequence(labels, batch_first=True, padding_value=0),
        label_lengths,
    )


if __name__ == "__main__":
    cfg = Config()
    samples = [(torch.randn(n, cfg.n_mels), torch.randint(0, cfg.blank, (u,))) for n, u in [(64, 5), (48, 3), (40, 4)]]
    feats, lengths, labels, label_lengths = collate(samples)
    model = Transducer(cfg)
    log_probs, frames = model(feats, lengths, labels)
    loss = transducer_loss(log_probs, labels, frames, label_lengths, cfg.blank)
    loss.backward()
    print(loss.item())
