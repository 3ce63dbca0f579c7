"""A product of tensors of different types.

    y = self.fc(ids)  # ids is i64[8, 10], the weights are f32

Instead: convert one of them, `x.float()`; ids belong into an embedding.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.analysis.causes._spatial import CONVOLUTIONS

_WITH_BIAS = {"linear", *CONVOLUTIONS}
_TARGETS = {
    "linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "rmatmul", "einsum", "scaled_dot_product_attention", "dot",
    "mv", "multi_head_attention_forward", *CONVOLUTIONS,
}  # fmt: skip


def explain(call: Call) -> str | None:
    """The first two that differ."""
    given = [(one, name) for one, name in _operands(call) if one is not None and one.shape is not None]
    other = next(((one, name) for one, name in given if one.dtype != given[0][0].dtype), None)
    if other is None:
        return None
    both = " and ".join(one.known(name) for one, name in (given[0], other))
    return f"{call.name} takes one type, and {both} are of two"


def _operands(call: Call) -> list[tuple[Operand | None, str]]:
    """Those that are to be of one type, and what they are called where nothing is written."""
    if call.target == "multi_head_attention_forward":
        names = {0: "its queries", 1: "its keys", 2: "its values", 5: "its weight"}
        return [(call.operand(place), name) for place, name in names.items()]
    attention = call.target == "scaled_dot_product_attention"
    tensors = call.tensors[:3] if attention else call.tensors  # its mask may be of bools
    bias = call.operand(2, "bias") if call.target in _WITH_BIAS else None
    return [(one, "its bias" if one is bias else "its weight" if place else "its input")
            for place, one in enumerate(tensors)]  # fmt: skip


CAUSE = Cause("mixed-dtypes", "A product of different types", _TARGETS, explain)
