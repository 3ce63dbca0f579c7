"""Sizes that do not fit, where a part is taken from another place than the part beside it, or one number less.

loss = model(x[:, :n], y[:, n:])  # meant is `y[:, :n]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._statements import statement_of
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 6


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each part on the way: cut as another one in the same statement; then without what is more or less."""
    parts = [(step.source, step.node) for step in path(broken) if isinstance(step.node, ast.Subscript)]
    whole = statement_of(broken.source, broken.node)
    parts += [(broken.source, one) for one in (walk(whole) if whole is not None else ())]
    found: dict[tuple[int, str], Edit] = {}
    for source, node in parts:
        if isinstance(node, ast.Subscript) and _is_cut(node.slice):
            for place, text in (*_beside(source, node), *_shifted(source, node)):
                title = f"Cut at {_text.title(text)} in place of {_text.title(_text.written(source, place))}"
                edit = Edit(f"{title}, line {place.lineno}", source.path, _text.instead(source, place, text))
                found.setdefault((id(place), text), edit)
    yield from islice(found.values(), MAX_FOUND)


def _beside(source: Source, node: ast.Subscript) -> Iterator[tuple[ast.expr, str]]:
    statement, own = statement_of(source, node), _text.written(source, node.slice)
    for one in walk(statement) if statement is not None else ():
        if isinstance(one, ast.Subscript) and one is not node and _is_cut(one.slice):
            text = _text.written(source, one.slice)
            if text != own and isinstance(one.ctx, ast.Load):
                yield node.slice, text


def _shifted(source: Source, node: ast.Subscript) -> Iterator[tuple[ast.expr, str]]:
    """`x[d + 1 :]` for `x[d:]`."""
    for one in walk(node.slice):
        for bound in (one.lower, one.upper) if isinstance(one, ast.Slice) else ():
            more = bound.right if isinstance(bound, ast.BinOp) and isinstance(bound.op, ast.Add | ast.Sub) else None
            if isinstance(bound, ast.BinOp) and isinstance(more, ast.Constant):
                yield bound, _text.written(source, bound.left)


def _is_cut(index: ast.expr) -> bool:
    """Whether it takes a part of a dim."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(one, ast.Slice) and (one.lower is not None or one.upper is not None) for one in parts)


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "assigned-sizes", "attention-sizes",
           "view-elements", "index-mask")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
