"""Sizes that do not fit, where a variable is made as another one is but for the order of what a call gets: in that one.

k = k.view(b, t, heads, dim // heads).transpose(1, 2)
v = v.view(b, t, dim // heads, heads).transpose(1, 2)
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import attribute
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_CALLERS = 2


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each variable in the expression that fails, or in those that led to it, where it is made last before."""
    for source, node in broken.places[: MAX_CALLERS + 1]:
        names = {one.id for one in walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        last: dict[str, list[ast.Call]] = {}
        groups = defaultdict[tuple[str, ...], list[list[ast.Call]]](list)
        for name, calls in _chains(source, node):
            groups[_methods(calls)].append(calls)
            if name in names and calls[0].lineno <= node.lineno:
                last[name] = calls
        for own in last.values():
            yield from _ordered(source, own, groups[_methods(own)])


def _chains(source: Source, node: ast.expr | ast.stmt) -> Iterator[tuple[str, list[ast.Call]]]:
    """Of the function around: what is made by methods of which one is given several things."""
    function = innermost(source, node)
    for one in walk(function) if function is not None else ():
        target = one.targets[0] if isinstance(one, ast.Assign) else None
        if isinstance(one, ast.Assign) and isinstance(target, ast.Name):
            calls = _calls(one.value)
            if any(len(call.args) > 1 for call in calls):
                yield target.id, calls


def _ordered(source: Source, own: list[ast.Call], others: list[list[ast.Call]]) -> Iterator[Edit]:
    """The one call of several given what it is given in the others, where that is the same in another order."""
    ours, seen = [_given(one) for one in own], set[tuple[int, tuple[str, ...]]]()
    for other in others:
        theirs = [_given(one) for one in other] if other is not own else ours
        differ = [place for place, both in enumerate(zip(ours, theirs, strict=True)) if both[0] != both[1]]
        place = differ[0] if len(differ) == 1 else None
        if place is None or (place, theirs[place]) in seen or sorted(ours[place]) != sorted(theirs[place]):
            continue
        seen.add((place, theirs[place]))
        call, beside = own[place], other[place]
        if len(call.args) == len(beside.args):
            texts = [_text.written(source, one) for one in beside.args]
            pairs = zip(call.args, texts, strict=True)
            changes = tuple(part for one, text in pairs for part in _text.instead(source, one, text))
            shown = _text.title(f"{called(call)}({', '.join(texts)})")
            yield Edit(f"Use {shown}, line {own[0].lineno}", source.path, changes)


def _methods(calls: list[ast.Call]) -> tuple[str, ...]:
    return tuple(map(called, calls))


def _calls(node: ast.expr) -> list[ast.Call]:
    """The methods of a chain, the last one first; a layer is no method."""
    found: list[ast.Call] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and attribute(node.func) is None:
        found.append(node)
        node = node.func.value
    return found


def _given(call: ast.Call) -> tuple[str, ...]:
    return tuple(ast.unparse(one) for one in (*call.args, *call.keywords))


_CAUSES = ("broadcast-sizes", "matmul-sizes", "attention-sizes", "cat-sizes", "einsum-sizes", "linear-features",
           "view-elements", "conv-channels", "norm-features")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
