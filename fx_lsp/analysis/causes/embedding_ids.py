"""An embedding gets something else than whole numbers, or numbers that it has no row for.

    y = self.words(x)  # x is f32[8, 10]

Instead: pass the ids, `x.long()` where they are whole numbers already; or make it for as many as there are.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From the dtype; from the numbers, where they are known."""
    layer = bool(call.settings)
    x = call.operand(0, "input")
    classes = call.target == "one_hot"
    if x is None or x.dtype in ("", "i64") or (x.dtype == "i32" and not classes):
        return _beyond(call)
    if classes:
        return f"{call.name} takes numbers of classes, i64, and {x.known()} holds {x.dtype}"
    ids = "ids" if layer else "ids as its first argument"
    return f"{call.name} looks up {ids}, whole numbers of i64 or i32, and {x.known()} holds {x.dtype}"


def _beyond(call: Call) -> str | None:
    x, table = call.operand(0, "input"), call.shape(1, "weight")
    asked = [call.plain(len(call.operands), name) for name in ("smallest", "largest")]
    numbers = [one for one in asked if type(one) is int]
    if x is None or not table or len(numbers) != len(asked):
        return None
    bad = [one for one in numbers if not 0 <= one < table[0]]
    if not bad:
        return None
    return f"{call.name} has {table[0]} rows, for ids from 0 to {table[0] - 1}, and {x.known()} asks for {bad[-1]}"


CAUSE = Cause(
    "embedding-ids", "An embedding of what is no id", {"Embedding", "EmbeddingBag", "embedding", "one_hot"}, explain
)
