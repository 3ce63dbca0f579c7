"""A product of tensors of different types.

    y = self.fc(ids)  # ids is i64[8, 10], the weights are f32

Instead: convert one of them, `x.float()`; ids belong into an embedding.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes._spatial import CONVOLUTIONS

_WITH_BIAS = {"linear", *CONVOLUTIONS}
_TARGETS = {
    "linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "rmatmul", "einsum", "scaled_dot_product_attention", "dot",
    "mv", "multi_head_attention_forward", *CONVOLUTIONS,
}  # fmt: skip


def explain(call: Call) -> str | None:
    """The first two that differ."""
    attention = call.target == "scaled_dot_product_attention"
    tensors = call.tensors[:3] if attention else call.tensors  # its mask may be of bools
    if call.target == "multi_head_attention_forward":
        return _attention(call)
    first = tensors[0] if tensors else None
    other = next((one for one in tensors if first is not None and one.dtype != first.dtype), None)
    if first is None or other is None:
        return None
    what = "its bias" if call.target in _WITH_BIAS and other is call.operand(2, "bias") else "its weight"
    return f"{call.name} takes one type, and {first.known('its input')} and {other.known(what)} are of two"


def _attention(call: Call) -> str | None:
    """From its queries, keys, values, and the weights for all three of them."""
    names = {0: "its queries", 1: "its keys", 2: "its values", 5: "its weight"}
    found = [(call.operand(place), name) for place, name in names.items()]
    known = [(one, name) for one, name in found if one is not None and one.shape is not None]
    other = next(((one, name) for one, name in known if one.dtype != known[0][0].dtype), None)
    if other is None:
        return None
    first, called = known[0]
    return f"{call.name} takes one type, and {first.known(called)} and {other[0].known(other[1])} are of two"


CAUSE = Cause("mixed-dtypes", "A product of different types", _TARGETS, explain)
