"""Torch keeps for its backward pass what the warnings about changes in place say that it keeps."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from fx_lsp.analysis.diagnostics._gradients import KEEPS_INPUT, KEEPS_RESULT

SIZES = {"Linear": (4, 4), "LayerNorm": (4,), "GroupNorm": (2, 4), "Softmax": (1,), "LogSoftmax": (1,)}
RANKS = {"1d": (2, 4, 5), "2d": (2, 4, 5, 5), "3d": (2, 4, 5, 5, 5)}


def run(name: str, x: torch.Tensor) -> torch.Tensor:
    """The function or the layer of that name."""
    if name[0].isupper():
        sizes = (4, 4, 1) if name.startswith("Conv") else (4,) if name.startswith("Batch") else SIZES.get(name, ())
        return getattr(nn, name)(*sizes)(x)
    function = getattr(torch, name, None) or getattr(F, name)
    return function(x, 1) if name.endswith("softmax") else function(x)


def given(name: str) -> torch.Tensor:
    """A tensor that needs a gradient, and is no leaf."""
    return torch.rand(*RANKS.get(name[-2:], (2, 4)), requires_grad=True) + 0.5


@pytest.mark.parametrize("name", sorted(KEEPS_INPUT))
def test_an_input_that_is_kept(name: str) -> None:
    x = given(name)
    y = run(name, x)
    x += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("name", sorted(KEEPS_RESULT))
def test_a_result_that_is_kept(name: str) -> None:
    y = run(name, given(name))
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
