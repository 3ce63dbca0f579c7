"""Sizes that cannot be broadcast, where a loop passes a table of all rounds: the entry of the round.

for i in range(n):
    x, state = step(x, state, self.sin, self.cos)  # f32[128, 16] each; meant are `self.sin[i]` and `self.cos[i]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import looped
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import arguments, called
from fx_lsp.analysis.mends._shapes import broadcast
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Of all attributes of the same thing that the call is given; the counter of the outermost loop first."""
    source, call = broken.callers[0] if broken.callers else (broken.source, None)
    for (node, shape), (_, other), _ in pairs(broken):
        where, passed = broken.origin(node)
        if not isinstance(call, ast.Call) or where is not source or not isinstance(passed, ast.Attribute | ast.Name):
            continue
        given = arguments(call)
        if len(shape) < 2 or broadcast(shape[1:], other) is None or passed not in given:
            continue
        same = [one for one in given if isinstance(one, ast.Attribute) and isinstance(passed, ast.Attribute)
                and ast.unparse(one.value) == ast.unparse(passed.value)] or [passed]  # fmt: skip
        for counter in _counters(source, call):
            changes = tuple(part for one in same for part in _text.after(source, one, f"[{counter}]"))
            shown = " and ".join(_text.title(f"{ast.unparse(one)}[{counter}]") for one in same)
            yield Edit(f"Pass {shown}", source.path, changes)


def _counters(source: Source, call: ast.Call) -> list[str]:
    """The names that count the rounds of the loops around it."""
    function = innermost(source, call)
    found: list[tuple[int, str]] = []
    for one in walk(function) if function is not None else ():
        if isinstance(one, ast.For) and one.lineno < call.lineno <= (one.end_lineno or 0):
            names = [part.id for part in walk(one.target) if isinstance(part, ast.Name)]
            by = called(one.iter) if isinstance(one.iter, ast.Call) else ""
            if by in ("range", "enumerate") and names and looped(one.target, one.iter, names[0]) is one.iter:
                found.append((one.lineno, names[0]))
    return [name for _, name in sorted(found)]


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
