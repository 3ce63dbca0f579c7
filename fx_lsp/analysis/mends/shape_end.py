"""Sizes that do not fit, where those of the first dims were asked for, or of the last: of as many at the other end.

dy, dx = (a - b for a, b in zip(like.shape[:2], x.shape[:2]))  # meant are `like.shape[-2:]` and `x.shape[-2:]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, blocks, module_statements, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In the functions on the way, the nearest first; all in one statement together."""
    places = [(broken.source, broken.node), *((step.source, step.node) for step in path(broken))]
    seen: set[int] = set()
    for source, node in places:
        function = innermost(source, node)
        if function is not None and id(function) not in seen:
            seen.add(id(function))
            for statement in module_statements(function.body):
                yield from _turned(source, statement) if not blocks(statement) else ()


def _turned(source: Source, statement: ast.stmt) -> Iterator[Edit]:
    found = [(one, new) for one in walk(statement) if isinstance(one, ast.Subscript) and (new := _other(one))]
    if found:
        changes = tuple((source.span(one.slice), new) for one, new in found)
        yield Edit(f"Take sizes `{found[0][1]}`, line {statement.lineno}", source.path, changes)


def _other(node: ast.Subscript) -> str:
    """The same count of sizes from the other end."""
    of = node.value.func if isinstance(node.value, ast.Call) and not node.value.args else node.value
    sizes = isinstance(of, ast.Attribute) and of.attr == ("size" if isinstance(node.value, ast.Call) else "shape")
    part = node.slice
    if not sizes or not isinstance(part, ast.Slice) or part.step is not None:
        return ""
    first, last = (number(one) if one is not None else 0 for one in (part.lower, part.upper))
    if first == 0 and last is not None and last > 0:
        return f"-{last}:"
    return f":{-first}" if first is not None and first < 0 and part.upper is None else ""


_CAUSES = ("broadcast-sizes", "cat-sizes", "view-elements", "resize-sizes", "grid-sizes", "expand-sizes")
MEND = Mend(frozenset(_CAUSES), propose)
