"""Letters from spectrograms: a convolution that makes time shorter, conformer-like blocks, and CTC."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class SpeechConfig:
    n_mels: int = 80
    d_model: int = 144
    n_heads: int = 4
    n_blocks: int = 2
    conv_kernel: int = 15
    ff_mult: int = 4
    rnn_hidden: int = 96
    vocab: int = 29
    dropout: float = 0.1


class Subsampling(nn.Module):
    """A quarter of the frames."""

    def __init__(self, cfg: SpeechConfig):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 32, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.proj = nn.Linear(32 * (cfg.n_mels // 4), cfg.d_model)

    def forward(self, mel: Tensor) -> Tensor:
        x = self.conv(mel.unsqueeze(1))
        b, c, t, f = x.shape
        x = x.permute(0, 2, 1, 3).reshape(b, t, c * f)
        return self.proj(x)


class ConvModule(nn.Module):
    def __init__(self, cfg: SpeechConfig):
        super().__init__()
        d = cfg.d_model
        self.norm = nn.LayerNorm(d)
        self.pointwise1 = nn.Conv1d(d, 2 * d, 1)
        self.glu = nn.GLU(dim=1)
        self.depthwise = nn.Conv1d(d, d, cfg.conv_kernel, padding=cfg.conv_kernel // 2, groups=d)
        self.bn = nn.BatchNorm1d(d)
        self.pointwise2 = nn.Conv1d(d, d, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x).transpose(1, 2)
        y = self.glu(self.pointwise1(y))
        y = self.bn(self.depthwise(y))
        y = self.pointwise2(torch.nn.functional.silu(y))
        return x + y.transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, cfg: SpeechConfig):
        super().__init__()
        d = cfg.d_model
        self.ff = nn.Sequential(
            nn.LayerNorm(d),
            nn.Linear(d, d * cfg.ff_mult),
            nn.SiLU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(d * cfg.ff_mult, d),
        )
        self.attn_norm = nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, cfg.n_heads, dropout=cfg.dropout, batch_first=True)
        self.conv = ConvModule(cfg)
        self.out_norm = nn.LayerNorm(d)

    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        x = x + 0.5 * self.ff(x)
        y = self.attn_norm(x)
        y, _ = self.attn(y, y, y, key_padding_mask=padding, need_weights=False)
        x = x + y
        return self.out_norm(self.conv(x))


class SpeechModel(nn.Module):
    def __init__(self, cfg: SpeechConfig):
        super().__init__()
        self.subsampling = Subsampling(cfg)
        self.blocks = nn.ModuleList(ConformerBlock(cfg) for _ in range(cfg.n_blocks))
        self.rnn = nn.GRU(cfg.d_model, cfg.rnn_hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * cfg.rnn_hidden, cfg.vocab)

    def forward(self, mel: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        x = self.subsampling(mel)
        short = (lengths + 3) // 4
        padding = torch.arange(x.size(1))[None, :] >= short[:, None]
        for block in self.blocks:
            x = block(x, padding)
        x, _ = self.rnn(x)
        return self.out(x).log_softmax(dim=-1), short


def loss_of(model: SpeechModel, mel: Tensor, lengths: Tensor, text: Tensor, text_lengths: Tensor) -> Tensor:
    log_probs, short = model(mel, lengths)
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    return ctc(log_probs.transpose(0, 1), text, short, text_lengths)


def greedy(log_probs: Tensor) -> Tensor:
    best = log_probs.argmax(dim=-1)
    changed = torch.ones_like(best, dtype=torch.bool)
    changed[:, 1:] = best[:, 1:] != best[:, :-1]
    return best * (changed & (best != 0))


def test_training_step():
    cfg = SpeechConfig()
    model = SpeechModel(cfg)
    mel = torch.randn(3, 200, cfg.n_mels)
    lengths = torch.tensor([200, 180, 121])
    text = torch.randint(1, cfg.vocab, (3, 20))
    loss = loss_of(model, mel, lengths, text, torch.tensor([20, 15, 9]))
    loss.backward()
    assert greedy(model(mel, lengths)[0]).shape == (3, 50)


if __name__ == "__main__":
    test_training_step()
