"""The weights of a layer that takes in the batch norm after it.  The source of `fold` ends up in module files."""

from __future__ import annotations

from typing import Dict

import torch


def fold(state: "Dict[str, torch.Tensor]", prefix: str, layer: str, norm: str, eps: float, groups: int) -> None:
    """Put a batch norm of an old state dict into the layer before it; groups: of a transposed convolution, else 0."""
    layer, norm = f"{prefix}{layer}.", f"{prefix}{norm}."
    if not {f"{layer}weight", f"{norm}running_mean", f"{norm}running_var"} <= {*state}:
        return
    weight, mean = state[f"{layer}weight"].detach(), state.pop(f"{norm}running_mean")
    scale = (state.pop(f"{norm}running_var") + eps).rsqrt()
    if f"{norm}weight" in state:
        scale = scale * state.pop(f"{norm}weight").detach()
    bias = -mean * scale
    if f"{norm}bias" in state:
        bias = bias + state.pop(f"{norm}bias").detach()
    if f"{layer}bias" in state:
        bias = bias + state[f"{layer}bias"].detach() * scale
    state.pop(f"{norm}num_batches_tracked", None)
    if groups:
        grouped = weight.unflatten(0, (groups, -1))
        weight = (grouped * scale.view(groups, 1, -1, *[1] * (weight.dim() - 2))).flatten(0, 1)
    else:
        weight = weight * scale.view(-1, *[1] * (weight.dim() - 1))
    state[f"{layer}weight"], state[f"{layer}bias"] = weight, bias
