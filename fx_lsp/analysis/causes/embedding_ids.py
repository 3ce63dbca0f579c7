"""An embedding gets something else than whole numbers.

    y = self.words(x)  # x is f32[8, 10]

Instead: pass the ids, `x.long()` where they are whole numbers already.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From the dtype."""
    layer = bool(call.settings)
    x = call.operand(0, "input")
    if x is None or x.dtype in ("", "i64", *(("i32",) if call.target != "one_hot" else ())):
        return None
    if call.target == "one_hot":
        return f"{call.name} takes numbers of classes, i64, and {x.known()} holds {x.dtype}"
    ids = "ids" if layer else "ids as its first argument"
    return f"{call.name} looks up {ids}, whole numbers of i64 or i32, and {x.known()} holds {x.dtype}"


CAUSE = Cause(
    "embedding-ids", "An embedding of what is no id", {"Embedding", "EmbeddingBag", "embedding", "one_hot"}, explain
)
