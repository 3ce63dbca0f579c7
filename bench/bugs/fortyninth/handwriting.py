"""Handwriting synthesis after Graves (2013), kept functional: parameters live in a flat dict, everything else is a
function of (params, inputs).  Only the recurrent cells are modules.
"""

import math
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from strokes import ALPHABET, batches, one_hot


class Hyper(NamedTuple):
    hidden: int = 40
    windows: int = 5
    mixtures: int = 8
    vocab: int = len(ALPHABET)
    lr: float = 3e-3
    bias: float = 0.5


class State(NamedTuple):
    h1: torch.Tensor
    c1: torch.Tensor
    h2: torch.Tensor
    c2: torch.Tensor
    kappa: torch.Tensor
    w: torch.Tensor


class Mixture(NamedTuple):
    log_pi: torch.Tensor  # [..., M]
    mu: torch.Tensor  # [..., M, 2]
    log_sigma: torch.Tensor  # [..., M, 2]
    rho: torch.Tensor  # [..., M]
    pen: torch.Tensor  # [...]


def weight(rows, cols):
    return (torch.randn(rows, cols) / math.sqrt(rows)).requires_grad_()


def init_params(hp):
    outputs = 6 * hp.mixtures + 1
    return {
        "window.w": weight(hp.hidden, 3 * hp.windows),
        "window.b": torch.full((3 * hp.windows,), -1.0, requires_grad=True),
        "mdn.w": weight(2 * hp.hidden, outputs),
        "mdn.b": torch.zeros(outputs, requires_grad=True),
    }


def init_cells(hp):
    return nn.ModuleDict({
        "first": nn.LSTMCell(3 + hp.vocab, hp.hidden),
        "second": nn.LSTMCell(3 + hp.hidden + hp.vocab, hp.hidden),
    })


def init_state(hp, batch):
    zeros = torch.zeros(batch, hp.hidden)
    return State(zeros, zeros, zeros, zeros, torch.zeros(batch, hp.windows), torch.zeros(batch, hp.vocab))


def window(params, h, kappa, text):
    """Soft window over the characters: where the pen is in the text."""
    raw = h @ params["window.w"] + params["window.b"]
    alpha, beta, step = raw.exp().chunk(3, dim=-1)
    kappa = kappa + step
    u = torch.arange(text.size(1), dtype=text.dtype)
    distance = (kappa.unsqueeze(-1) - u) ** 2
    phi = (alpha.unsqueeze(-1) * torch.exp(-beta.unsqueeze(-1) * distance)).sum(dim=1)
    w = torch.bmm(phi.unsqueeze(1), text).squeeze(1)
    return w, kappa, phi


def step(params, cells, x, state, text):
    h1, c1 = cells["first"](torch.cat([x, state.w], dim=-1), (state.h1, state.c1))
    w, kappa, phi = window(params, h1, state.kappa, text)
    h2, c2 = cells["second"](torch.cat([x, h1, w], dim=-1), (state.h2, state.c2))
    return torch.cat([h1, h2], dim=-1), State(h1, c1, h2, c2, kappa, w), phi


def mixture(params, hp, h, bias=0.0):
    m = hp.mixtures
    raw = h @ params["mdn.w"] + params["mdn.b"]
    pi, mu, log_sigma, rho, pen = raw.split([m, 2 * m, 2 * m, m, 1], dim=-1)
    return Mixture(
        F.log_softmax(pi * (1 + bias), dim=-1),
        mu.unflatten(-1, (m, 2)),
        log_sigma.unflatten(-1, (m, 2)) - bias,
        0.95 * torch.tanh(rho),
        pen.squeeze(-1),
    )


def log_density(mix, target):
    """log p(dx, dy) under the bivariate mixture."""
    z = (target.unsqueeze(-2) - mix.mu) / mix.log_sigma.exp()
    zx, zy = z.unbind(dim=-1)
    one = 1 - mix.rho**2
    quad = zx**2 + zy**2 - 2 * mix.rho * zx * zy
    log_n = -quad / (2 * one) - math.log(2 * math.pi) - mix.log_sigma.sum(dim=-1) - 0.5 * torch.log(one)
    return torch.logsumexp(mix.log_pi + log_n, dim=-1)


def nll(params, cells, hp, strokes, mask, text):
    state = init_state(hp, strokes.size(0))
    outputs = []
    for t in range(strokes.size(1) - 1):
        h, state, _ = step(params, cells, strokes[:, t], state, text)
        outputs.append(h)
    mix = mixture(params, hp, torch.stack(outputs, dim=1))
    target = strokes[:, 1:]
    offsets = log_density(mix, target[..., :2])
    pen = F.binary_cross_entropy_with_logits(mix.pen, target[..., 2], reduction="none")
    keep = mask[:, 1:]
    return ((pen - offsets) * keep).sum() / keep.sum()


@torch.no_grad()
def sample(params, cells, hp, texts, steps=30):
    text = one_hot(texts)
    state = init_state(hp, len(texts))
    x = torch.zeros(len(texts), 3)
    points, attention = [], []
    for _ in range(steps):
        h, state, phi = step(params, cells, x, state, text)
        mix = mixture(params, hp, h, hp.bias)
        k = torch.multinomial(mix.log_pi.exp(), 1)
        index = k.unsqueeze(-1).expand(-1, -1, 2)
        mu = mix.mu.gather(1, index).squeeze(1)
        sigma = mix.log_sigma.exp().gather(1, index).squeeze(1)
        rho = mix.rho.gather(1, k).squeeze(1)
        e1, e2 = torch.randn(2, len(texts)).unbind(0)
        dx = mu[:, 0] + sigma[:, 0] * e1
        dy = mu[:, 1] + sigma[:, 1] * (rho * e1 + torch.sqrt(1 - rho**2) * e2)
        pen = torch.bernoulli(torch.sigmoid(mix.pen))
        x = torch.stack([dx, dy, pen], dim=-1)
        points.append(x)
        attention.append(phi)
    path = torch.stack(points, dim=1)
    path[..., :2] = path[..., :2].cumsum(dim=1)
    return path, torch.stack(attention, dim=1)


def main():
    torch.manual_seed(1)
    hp = Hyper()
    params, cells = init_params(hp), init_cells(hp)
    optimizer = torch.optim.Adam([*params.values(), *cells.parameters()], lr=hp.lr)
    for strokes, mask, text in batches(2, 6):
        loss = nll(params, cells, hp, strokes, mask, text)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*params.values(), *cells.parameters()], 1.0)
        optimizer.step()
        print(f"nll {loss.item():.3f}")
    path, attention = sample(params, cells, hp, ["abba", "cafe", "head"])
    print("sampled", tuple(path.shape), "attention", tuple(attention.shape))


if __name__ == "__main__":
    main()
