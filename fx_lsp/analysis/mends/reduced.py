"""Sizes that do not fit, where one operand was summed or the like over other dims: over the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source

REDUCING = frozenset({"sum", "mean", "amax", "amin", "max", "min", "std", "var", "prod", "norm", "logsumexp", "argmax",
                       "argmin", "any", "all", "median", "nansum", "nanmean"})  # fmt: skip


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand that is one, by itself or by its name; as many dims as before."""
    given = [(str(key), one) for key, one in (*enumerate(broken.call.operands), *broken.call.named.items())]
    for key, one in given:
        if one.shape is None:
            continue
        source, node = broken.origin(broken.place(-1, key))
        written = dims_written(node) if isinstance(node, ast.Call) else None
        if written is not None:
            yield from _others(source, written, len(one.shape), node)


def dims_written(call: ast.Call) -> ast.expr | None:
    """What is written for the dims of a reduction."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in REDUCING:
        return None
    named = next((one.value for one in call.keywords if one.arg in ("dim", "axis")), None)
    plain = [one for one in call.args if isinstance(one, ast.Tuple) or number(one) is not None]
    return named or (plain[0] if plain else None)


def _others(source: Source, written: ast.expr, rank: int, node: ast.expr | None) -> Iterator[Edit]:
    parts = written.elts if isinstance(written, ast.Tuple | ast.List) else [written]
    dims = [dim for part in parts if (dim := number(part)) is not None]
    kept = any(one.arg == "keepdim" for one in node.keywords) if isinstance(node, ast.Call) else False
    before = rank + (0 if kept else len(dims))
    if len(dims) != len(parts):
        return
    for places in reversed(list(combinations(range(before), len(dims)))):
        if sorted(places) != sorted(dim % before for dim in dims if before):
            text = ", ".join(map(str, places)) if len(parts) > 1 else str(places[0] if places[0] < before - 1 else -1)
            text = f"({text})" if len(parts) > 1 else text
            title = f"Reduce dim {text} in place of {_text.written(source, written)}"
            yield Edit(title, source.path, _text.instead(source, written, text))


MEND = Mend(frozenset({"broadcast-sizes", "loss-sizes", "matmul-sizes"}), propose, guess=True)
