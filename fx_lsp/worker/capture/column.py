"""What is made of a column, one number that a layer gives for each sample, and is still one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

import torch

if TYPE_CHECKING:
    from fx_lsp.worker.capture.marks import Key, Mark

CHOSEN = ("gather", "argmax", "max", "topk")
"""One of the classes of each sample, or as many as are wanted."""
ALIKE = frozenset({"add", "sub", "mul", "div", "pow", "abs", "square"})
"""Give a column of columns."""
_LOSSES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
                     "binary_cross_entropy_with_logits"})  # fmt: skip
"""Do so, where they are told to take no mean."""
CHANGED = (*CHOSEN, *_LOSSES, "round", "__rsub__")
_BY_NUMBER = frozenset({"mul", "div", "add", "sub", "__rmul__", "__radd__", "__rsub__", "gt", "ge", "lt", "le"})
"""Changes each number by itself, where one of both is a number; probabilities are none after that."""
_LAYERS, _SCORES = ("linear", "sigmoid"), ("linear", "sigmoid", "softmax", "log_softmax")


def column(name: str, args: Sequence[Any], marks: Mapping[Key, Mark], result: torch.Tensor) -> Optional[Mark]:
    """What is known of the result, with nothing that it is made as where a choice is no column; None where other rules
    tell."""
    x, other = marks.get(0) or marks.get("input"), marks.get(1)
    if name in CHOSEN and x is not None and x.made in _SCORES:
        return x._replace(made="linear" if _is_column(result) else "", sizes=(-1, 1))
    if name == "round" or (name in _BY_NUMBER and any(isinstance(one, (int, float)) for one in args)):
        return x._replace(made="linear") if x is not None and x.made in _LAYERS else None
    if name in ALIKE or name in _LOSSES:
        both = [one for one in (x, other) if one is not None and one.made in _LAYERS and one.sizes[:2] == (-1, 1)]
        return both[0]._replace(made="linear") if both and _is_column(result) else None
    return None


def _is_column(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 2 and tensor.shape[1] == 1
