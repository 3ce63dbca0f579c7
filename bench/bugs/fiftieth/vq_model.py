"""VQ-VAE with EMA codebook and a masked-convolution prior over the codes."""
from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class ResBlock(nn.Module):
    def __init__(self, ch: int, hidden: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.GroupNorm(8, ch),
            nn.SiLU(),
            nn.Conv2d(ch, hidden, kernel_size=3, padding=1),
            nn.SiLU(),
            nn.Conv2d(hidden, ch, kernel_size=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


class Encoder(nn.Module):
    def __init__(self, in_ch: int, ch: int, code_dim: int, n_res: int):
        super().__init__()
        self.stem = nn.Conv2d(in_ch, ch // 2, 4, stride=2, padding=1)
        self.down = nn.Conv2d(ch // 2, ch, 4, stride=2, padding=1)
        self.res = nn.ModuleList(ResBlock(ch, ch // 2) for _ in range(n_res))
        self.to_code = nn.Conv2d(ch, code_dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = F.silu(self.stem(x))
        h = self.down(h)
        for block in self.res:
            h = block(h)
        return self.to_code(h)


class Decoder(nn.Module):
    def __init__(self, out_ch: int, ch: int, code_dim: int, n_res: int):
        super().__init__()
        self.from_code = nn.Conv2d(code_dim, ch, 3, padding=1)
        self.res = nn.ModuleList(ResBlock(ch, ch // 2) for _ in range(n_res))
        self.up1 = nn.ConvTranspose2d(ch, ch // 2, 4, stride=2, padding=1)
        self.up2 = nn.ConvTranspose2d(ch // 2, out_ch, 4, stride=2, padding=1)

    def forward(self, z: Tensor) -> Tensor:
        h = self.from_code(z)
        for block in self.res:
            h = block(h)
        h = F.silu(self.up1(h))
        return self.up2(h)


class VectorQuantizer(nn.Module):
    """Nearest-neighbour quantisation; the codebook follows the data by moving averages."""

    def __init__(self, n_codes: int, dim: int, decay: float = 0.99, eps: float = 1e-5):
        super().__init__()
        self.n_codes, self.dim, self.decay, self.eps = n_codes, dim, decay, eps
        codebook = torch.randn(n_codes, dim)
        self.register_buffer("codebook", codebook)
        self.register_buffer("count", torch.ones(n_codes))
        self.register_buffer("total", codebook.clone())

    def nearest(self, flat: Tensor) -> Tensor:
        dist = (
            flat.pow(2).sum(1, keepdim=True)
            - 2 * flat @ self.codebook.t()
            + self.codebook.pow(2).sum(1)
        )
        return dist.argmin(1)

    @torch.no_grad()
    def update(self, flat: Tensor, codes: Tensor) -> None:
        onehot = F.one_hot(codes, self.n_codes).type_as(flat)
        summed = onehot.t() @ flat
        self.count.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(summed, alpha=1 - self.decay)
        n = self.count.sum()
        smooth = (self.count + self.eps) / (n + self.n_codes * self.eps) * n
        self.codebook.copy_(self.total / smooth.unsqueeze(1))

    def forward(self, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        codes = self.nearest(flat.detach())
        quantized = self.codebook[codes]
        if self.training:
            self.update(flat.detach(), codes)
        quantized = quantized.view(b, h, w, c).permute(0, 3, 1, 2)
        commit = F.mse_loss(z, quantized.detach())
        quantized = z + (quantized - z).detach()
        return quantized, codes.view(b, h, w), commit


class VQVAE(nn.Module):
    def __init__(self, in_ch: int, ch: int, code_dim: int, n_codes: int, n_res: int):
        super().__init__()
        self.encoder = Encoder(in_ch, ch, code_dim, n_res)
        self.vq = VectorQuantizer(n_codes, code_dim)
        self.decoder = Decoder(in_ch, ch, code_dim, n_res)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        z = self.encoder(x)
        q, codes, commit = self.vq(z)
        return self.decoder(q), codes, commit

    def decode_codes(self, codes: Tensor) -> Tensor:
        q = self.vq.codebook[codes]
        return self.decoder(q.permute(0, 3, 1, 2))


class MaskedConv2d(nn.Conv2d):
    def __init__(self, kind: str, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _, _, kh, kw = self.weight.shape
        mask = torch.ones(kh, kw)
        mask[kh // 2, kw // 2 + (kind == "B"):] = 0
        mask[kh // 2 + 1:] = 0
        self.register_buffer("mask", mask)

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.weight * self.mask, self.bias, self.stride, self.padding)


class CodePrior(nn.Module):
    def __init__(self, n_codes: int, dim: int = 24, depth: int = 2):
        super().__init__()
        self.embed = nn.Embedding(n_codes, dim)
        self.first = MaskedConv2d("A", dim, 2 * dim, 5, padding=2)
        self.blocks = nn.ModuleList(
            MaskedConv2d("B", dim, 2 * dim, 3, padding=1) for _ in range(depth))
        self.logits = nn.Conv2d(dim, n_codes, 1)

    @staticmethod
    def gate(h: Tensor) -> Tensor:
        a, g = h.chunk(2, dim=1)
        return torch.tanh(a) * torch.sigmoid(g)

    def forward(self, codes: Tensor) -> Tensor:
        e = self.embed(codes).permute(0, 3, 1, 2)
        h = self.gate(self.first(e))
        for block in self.blocks:
            h = h + self.gate(block(h))
        return self.logits(h)
