"""Whole numbers where only floats can be computed with.

    weights = counts.softmax(-1)  # counts is i64[8, 10]

Instead: `counts.float()`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call

_TARGETS = {
    "softmax", "log_softmax", "softmin", "mean", "std", "var", "var_mean", "std_mean", "norm", "normalize",
    "vector_norm", "layer_norm", "rms_norm", "batch_norm", "group_norm", "instance_norm", "gelu", "silu", "mish",
    "elu", "selu", "celu", "softplus", "dropout", "bernoulli", "interpolate", "cross_entropy", "nanmean", "quantile",
    "cosine_similarity", "cdist", "multinomial", "hardswish", "hardsigmoid", "logsigmoid", "grid_sample", "scaled_mm",
}  # fmt: skip


def explain(call: Call) -> str | None:
    """From the type of the first operand."""
    x = call.operand(0, "input", "tensor")
    if x is None or not x.dtype.startswith(("i", "u", "b8")):
        return None
    what = "bools" if x.dtype == "b8" else x.dtype
    return f"{call.name} takes floats, and {x.known()} holds {what}"


CAUSE = Cause("whole-numbers", "Whole numbers where floats are taken", _TARGETS, explain)
