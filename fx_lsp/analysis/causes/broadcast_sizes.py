"""Tensors that cannot be broadcast to one size.

    y = x + bias  # f32[8, 10, 64] and f32[10]

Instead: dims are matched from the last one; each pair is equal, or one of them is 1: `bias[:, None]`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call

_OPERATIONS = ("add", "sub", "subtract", "mul", "multiply", "div", "divide", "truediv", "true_divide", "floordiv",
               "floor_divide", "mod", "remainder", "fmod", "pow", "and", "or", "xor", "eq", "ne", "lt", "le", "gt",
               "ge", "maximum", "minimum", "fmax", "fmin", "atan2", "where", "masked_fill", "lerp", "addcmul",
               "logaddexp", "bitwise_and", "bitwise_or", "logical_and", "logical_or", "mse_loss", "l1_loss",
               "smooth_l1_loss", "huber_loss", "cosine_similarity", "pairwise_distance", "triplet_margin_loss",
               "masked_select", "clamp", "max", "min", "copy", "addcdiv", "broadcast_tensors", "log_prob")  # fmt: skip
TARGETS = frozenset(f"{prefix}{name}" for name in _OPERATIONS for prefix in ("", "r", "i"))


def explain(call: Call) -> str | None:
    """The first pair of dims, from the last, that cannot be."""
    tensors = call.tensors
    for number, left in enumerate(tensors):
        for right in tensors[number + 1 :]:
            for back, (one, two) in enumerate(
                zip((left.shape or ())[::-1], (right.shape or ())[::-1], strict=False), 1
            ):
                if one != two and 1 not in (one, two):
                    place = "the last dim" if back == 1 else f"dim -{back}"
                    a, b = left.known("the first"), right.known("the second")
                    return f"{call.name}: {place} of {a} has {one}, and that of {b} has {two}"
    return None


CAUSE = Cause("broadcast-sizes", "Sizes that cannot be broadcast", TARGETS, explain)
