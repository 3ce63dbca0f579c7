"""Types that do not go together: one operand is cast to that of the other."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_METHODS = {"f32": ".float()", "f64": ".double()", "f16": ".half()", "bf16": ".bfloat16()", "i64": ".long()"}
_EXACT = ("i", "u", "b8")
"""How types start that are cast to another one rather than another to them."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Whole numbers to floats; else whichever of them."""
    call = broken.call
    if broken.cause == "embedding-ids":
        first, second = call.operand(0, "input"), call.operand(1, "weight")
        if second is not None and second.dtype in _METHODS and first is not None and second.dtype == "i64":
            yield from _swapped(broken)
        yield from uncast(broken, broken.place(0, "input"), "i64")
        yield from broken.after(broken.place(0, "input"), (".long()",) if _is_of_type(broken) else ())
        return
    given = [*enumerate(call.operands), *call.named.items()]
    typed = [(one.dtype, broken.place(-1, str(key))) for key, one in given if one.dtype]
    weights = call.settings.get("dtype")
    typed += [(weights, None)] if isinstance(weights, str) else []
    count = Counter(dtype for dtype, _ in typed)
    places = sorted(typed, key=lambda one: (not one[0].startswith(_EXACT), count[one[0]]))
    for dtype, node in places:
        for other, there in typed:
            if other != dtype and not other.startswith(_EXACT):
                yield from broken.after(node, (_METHODS[other],) if other in _METHODS else ())
                if there is not None:
                    yield from broken.after(node, (f".to({broken.alone(there)}.dtype)",))


def uncast(broken: Broken, node: ast.expr | None, wanted: str) -> Iterator[Edit]:
    """Without a cast that is written at the end; whether it had the type that is wanted, the run says."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args or node.keywords:
        return
    method = f".{node.func.attr}()"
    if method in _METHODS.values() and method != _METHODS.get(wanted):
        yield from broken.instead(node, (broken.text(node.func.value),))


def _is_of_type(broken: Broken) -> bool:
    """Whether it is the type that is wrong, not the numbers."""
    given = broken.call.operand(0, "input")
    return given is None or given.dtype not in ("i64", "i32")


def _swapped(broken: Broken) -> Iterator[Edit]:
    """The two in each other's place."""
    first, second = broken.place(0, "input"), broken.place(1, "weight")
    if first is not None and second is not None:
        text, other = broken.text(first), broken.text(second)
        changes = (broken.source.span(first), other), (broken.source.span(second), text)
        yield Edit("Swap the two", broken.source.path, changes)


MEND = Mend(frozenset({"embedding-ids", "mixed-dtypes"}), propose)
