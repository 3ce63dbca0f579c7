"""Selective state space layer as functions on dicts of parameters.

Ported from my TF code: shapes are (batch, time, features) everywhere, dense kernels are (in, out).
"""
import math

import torch
import torch.nn.functional as F


def init_dense(d_in, d_out, bias=True):
    p = {"kernel": torch.randn(d_in, d_out) / math.sqrt(d_in)}
    if bias:
        p["bias"] = torch.zeros(d_out)
    return p


def dense(p, x):
    y = torch.matmul(x, p["kernel"])
    if "bias" in p:
        y = y + p["bias"]
    return y


def init_block(hp):
    d, e, n = hp["d_model"], hp["d_inner"], hp["d_state"]
    r, k = hp["dt_rank"], hp["d_conv"]
    return {
        "in_proj": init_dense(d, 2 * e, bias=False),
        "conv": {"kernel": torch.randn(e, 1, k) / math.sqrt(k), "bias": torch.zeros(e)},
        "x_proj": init_dense(e, r + 2 * n, bias=False),
        "dt_proj": init_dense(r, e),
        "a_log": torch.log(torch.arange(1, n + 1).float()).repeat(e, 1),
        "skip": torch.ones(e),
        "out_proj": init_dense(e, d, bias=False),
    }


def causal_conv(p, x):
    """Depthwise convolution over time that sees the past only."""
    width = p["kernel"].shape[-1]
    x = x.transpose(1, 2)
    x = F.pad(x, (width - 1, 0))
    x = F.conv1d(x, p["kernel"], p["bias"], groups=p["kernel"].shape[0])
    return x.transpose(1, 2)


def selective_scan(x, dt, a_log, b_in, c_out, skip):
    """x, dt: (batch, time, inner); b_in, c_out: (batch, time, state); a_log: (inner, state)."""
    batch, steps, inner = x.shape
    a = -torch.exp(a_log)
    decay = torch.exp(torch.einsum("bte,en->bten", dt, a))
    drive = torch.einsum("bte,btn->bten", dt * x, b_in)
    h = x.new_zeros(batch, inner, a.shape[1])
    ys = []
    for t in range(steps):
        h = decay[:, t] * h + drive[:, t]
        ys.append(torch.einsum("ben,bn->be", h, c_out[:, t]))
    return torch.stack(ys, dim=1) + x * skip


def split_params(hp, proj):
    r, n = hp["dt_rank"], hp["d_state"]
    return torch.split(proj, [r, n, n], dim=-1)


def block(p, x, hp):
    u, gate = dense(p["in_proj"], x).chunk(2, dim=-1)
    u = F.silu(causal_conv(p["conv"], u))
    dt, b_in, c_out = split_params(hp, dense(p["x_proj"], u))
    dt = F.softplus(dense(p["dt_proj"], dt))
    y = selective_scan(u, dt, p["a_log"], b_in, c_out, p["skip"])
    return dense(p["out_proj"], y * F.silu(gate))


# ---- one step at a time, for decoding

def init_state(hp, batch):
    return {
        "conv": torch.zeros(batch, hp["d_conv"], hp["d_inner"]),
        "ssm": torch.zeros(batch, hp["d_inner"], hp["d_state"]),
    }


def block_step(p, state, x, hp):
    """x: (batch, features)."""
    u, gate = dense(p["in_proj"], x).chunk(2, dim=-1)
    window = torch.roll(state["conv"], shifts=-1, dims=1)
    window[:, -1] = u
    state["conv"] = window
    u = torch.einsum("bke,ek->be", window, p["conv"]["kernel"].squeeze(1)) + p["conv"]["bias"]
    u = F.silu(u)
    dt, b_in, c_out = split_params(hp, dense(p["x_proj"], u))
    dt = F.softplus(dense(p["dt_proj"], dt))
    decay = torch.exp(dt.unsqueeze(-1) * -torch.exp(p["a_log"]))
    drive = (dt * u).unsqueeze(-1) * b_in.unsqueeze(1)
    state["ssm"] = decay * state["ssm"] + drive
    y = (state["ssm"] * c_out.unsqueeze(1)).sum(-1) + u * p["skip"]
    return dense(p["out_proj"], y * F.silu(gate))
