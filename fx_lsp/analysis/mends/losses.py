"""A loss of what does not fit: classes brought to dim 1, a dim of 1 taken away, the target as it is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.loss_sizes import ALIGNED, EQUAL, weighed
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, shrunk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each change of one side with which they fit; then both flattened."""
    call = broken.call
    if call.target in ALIGNED:
        yield from broken.after(broken.place(0, "log_probs"), (".transpose(0, 1)",))
        return
    x, target = call.shape(0, "input"), call.shape(1, "target")
    first, second = broken.place(0, "input"), broken.place(1, "target")
    if x is None or target is None or (weighed(call) is not None and broken.cause == "loss-sizes"):
        return
    if broken.cause == "loss-dtypes":
        given = call.operand(0, "input")
        yield from broken.after(second, (".float()",) if given and call.target in EQUAL else (".long()",))
        return
    equal = call.target in EQUAL
    if equal and isinstance(second, ast.Call) and called(second) in ("ones", "zeros") and first is not None:
        yield from broken.instead(second, (f"{broken.text(second.func)}_like({broken.text(first)})",))
    if not equal and x == target:
        yield from broken.after(second, (".argmax(1)", ".argmax(-1)"))
        floats = call.operand(0, "input")
        yield from broken.after(second, (".float()",) if floats is not None and floats.dtype == "f32" else ())
        return
    ways = [*(way for way in moved(x) if way[1][0] == x[0]), *shrunk(x), *grown(x)]
    yield from broken.after(first, (suffix for suffix, new in ways if _fit(new, target, equal)))
    ways = [*shrunk(target), *grown(target), *moved(target)]
    yield from broken.after(second, (suffix for suffix, new in ways if _fit(x, new, equal)))
    if not equal and x[:-1] == target and len(x) > 2 and first is not None and second is not None:
        yield from _flattened(broken)


def _flattened(broken: Broken) -> Iterator[Edit]:
    first, second = broken.place(0, "input"), broken.place(1, "target")
    rank = len(broken.call.shape(0, "input") or ())
    if first is not None and second is not None:
        for one in broken.after(first, (f".flatten(0, {rank - 2})",)):
            for other in broken.after(second, (".flatten()",)):
                yield Edit("Flatten both", one.path, (*one.changes, *other.changes))


def _fit(x: Shape, target: Shape, equal: bool) -> bool:
    if equal:
        return x == target
    return len(x) > 1 and target == (x[0], *x[2:])


MEND = Mend(frozenset({"loss-sizes", "loss-dtypes"}), propose)
