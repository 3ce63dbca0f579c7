"""Sizes that cannot be broadcast, where a call is given some things several times over and others once: these as often.

self.unet(x.repeat(2, 1, 1, 1), t.repeat(2), mask)  # meant is `torch.cat([mask] * 2)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """In the calls that led there, the innermost first; what is passed last first."""
    for (_, shape), (_, other), differ in pairs(broken):
        batch = [one for one in differ if one[0] == -len(shape) and len(shape) == len(other)]
        if not batch or len(differ) > 1 or not 1 < shape[0] < other[0] or other[0] % shape[0]:
            continue
        count = other[0] // shape[0]
        for source, call in broken.callers:
            given = call.args if isinstance(call, ast.Call) else []
            if not any(_times(one) == count for one in given):
                continue
            for one in reversed([one for one in given if isinstance(one, ast.Name)]):
                text = f"torch.cat([{one.id}] * {count})"
                yield Edit(f"Pass {_text.title(text)}", source.path, _text.instead(source, one, text))


def _times(node: ast.expr) -> int | None:
    """How often `x.repeat(2, 1)` or `torch.cat([x] * 2)` has it."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    first = node.args[0]
    if called(node) == "repeat":
        return number(first)
    return number(first.right) if called(node) == "cat" and isinstance(first, ast.BinOp) else None


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
