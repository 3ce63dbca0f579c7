"""An index that the tensor does not have.

    y = x[:, 3]  # x is f32[8, 3]

Instead: sizes are counted from 0.
"""

from __future__ import annotations

import ast
from itertools import zip_longest
from typing import Any, cast

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, literal, numbers
from fx_lsp.model import syntax
from fx_lsp.model.failure import PLACED
from fx_lsp.model.value import Group, Opaque, TensorType, Value

_ALONG = {"topk": 2, "kthvalue": 2, "select": 1, "narrow": 1}
"""Functions that take some of a dim, and where the dim is among their arguments."""


def explain(call: Call) -> str | None:
    """From the parts of the index: those after an ellipsis are counted from the end."""
    if call.target in PLACED:
        return _placed(call)
    if call.target not in ("getitem", "setitem"):
        return _asked(call)
    x, index = call.operand(0), call.operand(1)
    if x is None or x.shape is None or index is None:
        return None
    texts = ["tensor"] if isinstance(index.value, TensorType) and index.dtype != "b8" else parts(index.value)
    if texts is None:
        return None
    taking = [text for text in texts if text not in ("None", "Ellipsis")]
    if len(taking) > len(x.shape):
        return f"the index takes {len(taking)} dims, and {x.known()} has {len(x.shape)}"
    found = beyond(call)
    if found is None:
        return None
    dim, asked = found
    return f"the index asks for {asked} in dim {dim}, and {x.known()} has {x.shape[dim]} there"


def beyond(call: Call) -> tuple[int, int] | None:
    """The first dim that an index goes beyond, and the place that it asks for there."""
    shape, index, known = call.shape(0), call.operand(1), call.plain(len(call.operands), "asked")
    texts = (parts(index.value) or ["tensor"]) if index is not None else []
    places, dim = cast("tuple[Any, ...]", known) if isinstance(known, tuple) else (), 0
    for place, (text, extremes) in enumerate(zip_longest(texts, places[: len(texts)])):
        if text == "Ellipsis":
            dim = len(shape or ()) - sum(one not in ("None", "Ellipsis") for one in texts[place + 1 :])
        if text in ("None", "Ellipsis"):
            continue
        for asked in numbers(literal(text)) or numbers(extremes) or ():
            if shape is not None and dim < len(shape) and not -shape[dim] <= asked < shape[dim]:
                return dim, asked
        dim += 1
    return None


def _placed(call: Call) -> str | None:
    """Of functions that are given places along a dim, where these are known."""
    x, dim, index = call.operand(0, "input"), call.plain(1, "dim"), call.shape(2, "index")
    if x is None or not x.shape or index is None or type(dim) is not int or not -len(x.shape) <= dim < len(x.shape):
        return None
    size = x.shape[dim]
    for name in ("largest", "smallest"):
        asked = call.plain(len(call.operands), name)
        if type(asked) is int and not 0 <= asked < size:
            return f"{call.name} asks for {asked} in dim {dim % len(x.shape)}, and {x.known()} has {size} there"
    return None


def _asked(call: Call) -> str | None:
    """Of functions that take some of a dim."""
    x, along = call.operand(0, "input"), _ALONG[call.target]
    dim = call.plain(along, "dim") if along < len(call.operands) or "dim" in call.named else -1
    first, count = call.plain(3 - along, "k", "index", "start"), call.plain(3, "length")
    if (
        x is None
        or not x.shape
        or type(dim) is not int
        or type(first) is not int
        or not -len(x.shape) <= dim < len(x.shape)
    ):
        return None
    size = x.shape[dim]
    if call.target == "select":
        wrong = not -size <= first < size
    elif call.target == "narrow":
        wrong = type(count) is int and not 0 <= (first + size if first < 0 else first) <= size - count
    else:
        wrong = first > size
    asked = f"{count} from {first} on" if call.target == "narrow" else f"{first}"
    return (
        f"{call.name} asks for {asked} of dim {dim % len(x.shape)}, and {x.known()} has {size} there" if wrong else None
    )


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


CAUSE = Cause("index-range", "An index out of range", {"getitem", "setitem", *_ALONG, *PLACED}, explain)
