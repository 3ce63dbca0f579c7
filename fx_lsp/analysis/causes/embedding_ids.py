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
    classes = call.target == "one_hot"
    if x is None or x.dtype in ("", "i64") or (x.dtype == "i32" and not classes):
        return None
    if classes:
        return f"{call.name} takes numbers of classes, i64, and {x.known()} holds {x.dtype}"
    ids = "ids" if layer else "ids as its first argument"
    return f"{call.name} looks up {ids}, whole numbers of i64 or i32, and {x.known()} holds {x.dtype}"


CAUSE = Cause(
    "embedding-ids", "An embedding of what is no id", {"Embedding", "EmbeddingBag", "embedding", "one_hot"}, explain
)
