"""Sizes that do not fit, where something is kept before or after a step, and the other was meant.

x = down(x)
skips.append(x)  # meant is what it was before that step
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 4
_KEEPS = ("append", "insert", "appendleft")


def propose(broken: Broken) -> Iterator[Edit]:
    """In the function that fails and in those that led there: both statements in the other order."""
    found: dict[int, Edit] = {}
    for source, node in ((broken.source, broken.node), *broken.callers):
        function = innermost(source, node)
        for body in _bodies(function) if function is not None else ():
            for one, other in pairwise(body):
                kept, step = (one, other) if _keeps(one) else (other, one)
                if _keeps(kept) and isinstance(step, ast.Assign) and _bound(step) & _read(kept):
                    found.setdefault(id(kept), _turned(source, one, other, kept))
    yield from list(found.values())[:MAX_FOUND]


def _bodies(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for one in walk(function):
        for name in ("body", "orelse"):
            body = getattr(one, name, None)
            if isinstance(body, list):
                yield body


def _keeps(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and called(value) in _KEEPS


def _bound(statement: ast.Assign) -> set[str]:
    inside = [one for target in statement.targets for one in walk(target)]
    return {one.id for one in inside if isinstance(one, ast.Name)}


def _read(statement: ast.stmt) -> set[str]:
    value = statement.value if isinstance(statement, ast.Expr) else None
    given = value.args if isinstance(value, ast.Call) else []
    return {one.id for part in given for one in walk(part) if isinstance(one, ast.Name)}


def _turned(source: Source, one: ast.stmt, other: ast.stmt, kept: ast.stmt) -> Edit:
    spans = [source.span(part) for part in (one, other)]
    texts = [_text.statement(source, part) for part in (one, other)]
    title = f"Take {_text.title(_text.statement(source, kept))} {'later' if kept is one else 'sooner'}"
    return Edit(title, source.path, tuple(zip(spans, reversed(texts), strict=True)))


_CAUSES = ("broadcast-sizes", "cat-sizes", "conv-channels", "linear-features", "norm-features", "conv-dims",
           "view-elements")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
