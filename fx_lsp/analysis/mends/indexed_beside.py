"""Sizes that cannot be broadcast, where one operand is taken at places and the other is not: at those beside them.

src, dst = edges
left[src] + right  # meant is `right[dst]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import unpacked
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._statements import innermost


def propose(broken: Broken) -> Iterator[Edit]:
    """Where they differ in the first dim alone: places that were unpacked together with those, then the same ones."""
    function = innermost(broken.source, broken.node)
    for (node, shape), (other, there), differ in pairs(broken):
        taken = other.slice if isinstance(other, ast.Subscript) else None
        first = len(shape) == len(there) and [one for one, _ in differ] == [-len(shape)]
        if function is None or not first or not isinstance(node, ast.Name) or not isinstance(taken, ast.Name):
            continue
        groups = [names for line, names in unpacked(function) if line < broken.node.lineno and taken.id in names]
        beside = [name for names in groups[-1:] for name in names if name != taken.id]
        yield from broken.after(node, (f"[{name}]" for name in (*beside, taken.id)))


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
