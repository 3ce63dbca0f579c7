"""An index that the tensor does not have.

    y = x[:, 3]  # x is f32[8, 3]

Instead: sizes are counted from 0.
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.model import syntax
from fx_lsp.model.value import Group, Opaque, TensorType, Value


def explain(call: Call) -> str | None:
    """From the parts of the index, until one takes dims that cannot be told."""
    x, index = call.operand(0), call.operand(1)
    if x is None or x.shape is None or index is None:
        return None
    texts = parts(index.value)
    if texts is None:
        return None
    taking = [text for text in texts if text not in ("None", "Ellipsis")]
    if len(taking) > len(x.shape):
        return f"the index takes {len(taking)} dims, and {x.known()} has {len(x.shape)}"
    dim = 0
    for text in texts:
        if text == "Ellipsis":
            return None
        if text == "None":
            continue
        if text.lstrip("-").isdigit() and not -x.shape[dim] <= int(text) < x.shape[dim]:
            return f"the index asks for {text} in dim {dim}, and {x.known()} has {x.shape[dim]} there"
        dim += 1
    return None


def parts(value: Value) -> list[str] | None:
    """Each part of the index as text; None where one may take several dims."""
    if isinstance(value, Group):
        if any(isinstance(one, TensorType) and one.dtype == "b8" for one in value.items):
            return None
        return [one.text if isinstance(one, Opaque) else "tensor" for one in value.items]
    if not isinstance(value, Opaque):
        return None
    text = value.text
    if not text.startswith("("):
        return [text]
    try:
        tree = syntax.expression(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [ast.unparse(part) for part in tree.elts] if isinstance(tree, ast.Tuple) else None


CAUSE = Cause("index-range", "An index out of range", {"getitem", "setitem"}, explain)
