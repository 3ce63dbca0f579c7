"""A device or a precision that follows an input, in place of one that the code names or brings along."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_CASTS = {"f32": ".float()", "f16": ".half()", "bf16": ".bfloat16()"}


def propose(broken: Broken) -> Iterator[Edit]:
    """By the rule that warns."""
    if broken.cause == "hidden-upcast":
        yield from _single(broken)
    elif broken.cause == "dtype-hard-coded":
        func = broken.node.func if isinstance(broken.node, ast.Call) else None
        if isinstance(func, ast.Attribute):
            yield from broken.instead(broken.node, (broken.alone(func.value),))
    elif isinstance(broken.node, ast.Call) and broken.given:
        yield from _on_device(broken, broken.node, f"{broken.given[0]}.device")


def _single(broken: Broken) -> Iterator[Edit]:
    """What is double cast to what the other is."""
    given = broken.call.operands
    lower = next((one.dtype for one in given if one.dtype in _CASTS and one.shape), "")
    for number, one in enumerate(given):
        if one.dtype == "f64" and lower:
            yield from broken.after(broken.place(number), (_CASTS[lower],))


def _on_device(broken: Broken, call: ast.Call, device: str) -> Iterator[Edit]:
    named = next((one.value for one in call.keywords if one.arg == "device"), None)
    func = call.func if isinstance(call.func, ast.Attribute) else None
    if named is not None:
        yield from broken.instead(named, (device,))
    elif broken.cause == "device-left-out":
        text = broken.alone(call)
        placed = f"{text[:-1].rstrip().rstrip(',')}, device={device})"
        yield from broken.instead(call, (f"{text}.to({device})" if "from_numpy" in text else placed,))
    elif func is not None and isinstance(func.value, ast.Name) and func.value.id in broken.given:
        yield from broken.instead(call, (func.value.id,))
    elif func is not None:
        yield from broken.instead(call, (f"{broken.alone(func.value)}.to({device})",))


MEND = Mend(frozenset({"device-hard-coded", "device-left-out", "dtype-hard-coded", "hidden-upcast"}), propose)
