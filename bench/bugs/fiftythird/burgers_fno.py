"""Burgers' equation, from the old solver's loops, and a Fourier operator that
learns to jump to the end of its run.  Parameters are dicts, models functions.
"""
import math

import numpy as np
import torch
import torch.nn.functional as F

NX = 41        # points, both ends included
NT = 30        # steps of the solver
WIDTH = 20
MODES = 8
NU = 0.02
DX = 1.0 / (NX - 1)
DT = 0.004


# ---------------------------------------------------------------- the solver

def initial(n, gen):
    x = torch.linspace(0, 1, NX)
    amp = torch.randn(n, 4, generator=gen) / torch.arange(1, 5)
    waves = torch.sin(math.pi * torch.arange(1, 5)[:, None] * x)
    return amp @ waves


def burgers(u0):
    """Upwind in space, explicit in time, zero at both ends."""
    u = u0.clone()
    for it in range(NT):
        un = u.clone()
        for i in range(1, NX - 1):
            diff = (un[:, i + 1] - 2.0 * un[:, i] + un[:, i - 1]) / DX**2
            left = (un[:, i] - un[:, i - 1]) / DX
            u[:, i] = un[:, i] + DT * (NU * diff - un[:, i].abs() * left)
        u[:, 0] = 0.0
        u[:, NX - 1] = 0.0
    return u


# -------------------------------------------------------------- the operator

def init_dense(gen, n_in, n_out):
    w = torch.randn(n_in, n_out, generator=gen) / math.sqrt(n_in)
    return {"w": w, "b": torch.zeros(n_out)}


def init_modes(gen):
    shape = (MODES, WIDTH, WIDTH, 2)
    return {"re_im": torch.randn(shape, generator=gen) / WIDTH}


def init_params(gen, depth=3):
    params = {"lift": init_dense(gen, 2, WIDTH), "out": init_dense(gen, WIDTH, 1)}
    for d in range(depth):
        params[f"skip{d}"] = init_dense(gen, WIDTH, WIDTH)
        params[f"modes{d}"] = init_modes(gen)
    return params


def dense(p, x):
    return x @ p["w"] + p["b"]


def spectral(p, x):
    """x is [batch, points, width]: mixes the width of each low mode."""
    n = x.shape[1]
    weight = torch.view_as_complex(p["re_im"])
    low = torch.fft.rfft(x, dim=1)[:, :MODES]
    mixed = torch.einsum("bki,kio->bko", low, weight)
    spectrum = F.pad(mixed, (0, 0, 0, n // 2 + 1 - MODES))
    return torch.fft.irfft(spectrum, n=n, dim=1)


def operator(params, u0, depth=3):
    grid = torch.linspace(0, 1, NX).expand(u0.shape[0], NX)
    h = dense(params["lift"], torch.stack([u0, grid], dim=-1))
    for d in range(depth):
        wave = spectral(params[f"modes{d}"], h)
        local = dense(params[f"skip{d}"], h)
        h = F.gelu(wave + local)
    return u0 + dense(params["out"], h).squeeze(-1)


# -------------------------------------------------------------- the training

def window():
    """Quadrature weights: trapezoids, heavier where the shock stands."""
    w = np.full(NX, DX)
    w[0] = w[-1] = DX / 2
    w *= 1.0 + np.exp(-((np.linspace(0, 1, NX) - 0.5) ** 2) / 0.05)
    return torch.from_numpy(w.astype(np.float32))


def relative_error(pred, true, w):
    miss = torch.sqrt((w * (pred - true) ** 2).sum(dim=1))
    size = torch.sqrt((true ** 2).sum(dim=1) * DX)
    return (miss / (size + 1e-3)).mean()


def leaves(params):
    return [t for group in params.values() for t in group.values()]


def main():
    gen = torch.Generator().manual_seed(1)
    u0 = initial(48, gen)
    u1 = burgers(u0)
    params = init_params(gen)
    flat = [t.requires_grad_() for t in leaves(params)]
    momentum = [torch.zeros_like(t) for t in flat]
    w = window()
    for epoch in range(8):
        for ids in torch.randperm(40, generator=gen).split(10):
            loss = relative_error(operator(params, u0[ids]), u1[ids], w)
            grads = torch.autograd.grad(loss, flat)
            with torch.no_grad():
                for t, m, g in zip(flat, momentum, grads):
                    m.mul_(0.9).add_(g)
                    t.sub_(0.01 * m)
    with torch.no_grad():
        held = relative_error(operator(params, u0[40:]), u1[40:], w)
    print(f"train {loss.item():.4f}  held out {held.item():.4f}")


main()
