"""A loss of predictions and targets that do not fit.

    loss = F.cross_entropy(logits, target)  # f32[8, 10, 100] and i64[8, 10]

Instead: `cross_entropy` takes classes in dim 1, `logits.transpose(1, 2)` or `logits.flatten(0, 1)`.
"""

from __future__ import annotations

from typing import NamedTuple

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

CLASSES = {"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"}
EQUAL = {"binary_cross_entropy", "binary_cross_entropy_with_logits", "BCELoss", "BCEWithLogitsLoss", "kl_div"}
DIFFERENCES = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
"""Functions that broadcast what they compare."""
ALIGNED = {"ctc_loss", "CTCLoss"}
"""Losses of sequences, that are given the length of each."""
_OF_PLACES, _OF_CLASSES = ((2, "weight"), (6, "pos_weight")), ((2, "weight"),)
"""Where weights are given, of a place and of a class."""


def explain(call: Call) -> str | None:
    """From both sizes."""
    if call.target in ALIGNED:
        return _aligned(call)
    x, target = call.operand(0, "input"), call.operand(1, "target")
    if x is None or target is None or x.shape is None or target.shape is None:
        return None
    a, b = x.known("the prediction"), target.known("the target")
    if call.target in EQUAL:
        text = f"{call.name} takes equal sizes, and {a} and {b} are not"
        return text if x.shape != target.shape else _weighted(call, x)
    if x.shape == target.shape and target.dtype.startswith(("i", "u")):
        return f"{call.name} takes the number of a class for each place, and {b} has one for each class as {a} has"
    wanted = (x.shape[0], *x.shape[2:]) if len(x.shape) > 1 else ()
    if x.shape == target.shape and call.target in ("nll_loss", "NLLLoss") and len(x.shape) > 1:
        return f"{call.name} takes the number of a class for each place, {list(wanted)}, and {b} has one for each class"
    if x.shape == target.shape or target.shape == wanted:
        return _weighted(call, x)
    text = f"{call.name} takes classes in dim 1 of {a}, and so a target of {list(wanted)}; {b} is of other sizes"
    return text + ("; its last dim may be the classes" if x.shape[:-1] == target.shape else "")


class Weighed(NamedTuple):
    """Weights that do not fit."""

    dim: int
    """Of the predictions, from the last."""
    number: int
    name: str
    """Where the loss is given them."""
    weight: Operand


def weighed(call: Call) -> Weighed | None:
    """The first ones that are more or fewer than there are."""
    x = call.shape(0, "input")
    if not x or call.target not in ("cross_entropy", "nll_loss", *EQUAL):
        return None
    dim = -1 if call.target in EQUAL else 1 - len(x) if len(x) > 1 else -1
    for number, name in _OF_PLACES if call.target in EQUAL else _OF_CLASSES:
        weight = call.operand(number, name) if call.target != "kl_div" else None
        spread = 1 if call.target in EQUAL else x[dim]
        if weight is not None and weight.shape and weight.shape[-1] not in (x[dim], spread):
            return Weighed(dim, number, name, weight)
    return None


def _weighted(call: Call, x: Operand) -> str | None:
    """Where both fit: from the weights of the classes."""
    found = weighed(call)
    if found is None or not x.shape:
        return None
    each = f"{call.name} takes a weight for each class, [{x.shape[found.dim]}] for {x.known('the prediction')}"
    return f"{each}, and {found.weight.known('the weight')} is of other sizes"


def _aligned(call: Call) -> str | None:
    """Of sequences: time comes first, and there is a length for each of the batch."""
    x, targets = call.operand(0, "log_probs"), call.operand(1, "targets")
    if x is None or x.shape is None or len(x.shape) != 3:
        return None
    batch = x.shape[1]
    for number, name in ((2, "input_lengths"), (3, "target_lengths")):
        given = call.operand(number, name)
        if given is not None and given.shape is not None and len(given.shape) == 1 and given.shape[0] != batch:
            text = f"{call.name} takes a length for each of the batch, {batch} in dim 1 of {x.known('the prediction')}"
            first = "; the batch may be its first dim" if given.shape[0] == x.shape[0] else ""
            return f"{text}, and {given.known('what it is given')} has {given.shape[0]}{first}"
    if targets is not None and targets.shape is not None and len(targets.shape) == 2 and targets.shape[0] != batch:
        text = f"{call.name} takes {x.known('the prediction')} with the batch in dim 1"
        return f"{text}, and {targets.known('the target')} has a batch of {targets.shape[0]}"
    return None


CAUSE = Cause("loss-sizes", "A loss of what does not fit", CLASSES | EQUAL | ALIGNED, explain)
