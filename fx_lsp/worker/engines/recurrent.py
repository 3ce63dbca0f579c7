"""Recurrent layers on fake tensors: the sizes of two steps are those of all.

torch has no rule for a GRU or a plain RNN on fake tensors, and does a dozen operations for each step, layer and
direction: ten seconds for 256 steps of two layers in both directions.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import torch
from torch._subclasses import fake_tensor

Call = Callable[[Any, Tuple[Any, ...], Dict[str, Any]], Any]

_FUNCTIONS = (torch.gru, torch.rnn_tanh, torch.rnn_relu)
_STEPS = 2
"""A state goes from one to the other."""
_BATCH_FIRST = 8
"""Place of the argument."""


def shortened(call: Call) -> Call:
    """Calls in which a recurrent layer is given its first steps alone, unless somebody counts what it does."""

    def shorter(func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        if (
            func not in _FUNCTIONS
            or kwargs
            or len(args) != _BATCH_FIRST + 1
            or torch._C._len_torch_dispatch_stack() > 1
        ):
            return call(func, args, kwargs)
        x, dim = args[0], int(args[_BATCH_FIRST] is True)
        if type(x) is not fake_tensor.FakeTensor or x.dim() != 3 or not isinstance(args[2], (list, tuple)):
            return call(func, args, kwargs)  # what is packed has its steps in another tensor
        length = x.shape[dim]
        if length <= _STEPS:
            return call(func, args, kwargs)
        output, state = call(func, (x.narrow(dim, 0, _STEPS), *args[1:]), kwargs)
        step = output.transpose(0, dim)[:1]
        return step.expand(length, *step.shape[1:]).contiguous().transpose(0, dim), state

    return shorter
