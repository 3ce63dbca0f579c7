"""Rows added to a tensor that has other sizes: it is made with those of the rows, or like what the rows are taken of.

out = x.new_zeros(count, x.size(-1))  # x is f32[500, 8, 4]; meant is `x.new_zeros(count, *x.shape[1:])`
out.index_add_(0, index, x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.index_tensor import ROWS
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import bindings
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called, passed_to
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_MAKERS = ("zeros", "ones", "empty", "new_zeros", "new_ones", "new_empty")
_LIKE = ("zeros_like", "ones_like", "empty_like", "full_like")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where it is made in the same file."""
    source, made = broken.origin(broken.place(0, "input"))
    rows, dim = broken.place(3, "source"), broken.call.plain(1, "dim")
    if broken.call.target.removesuffix("_") not in ROWS or rows is None or not isinstance(made, ast.Call):
        return
    if called(made) in _LIKE and made.args:
        yield from _like(source, made)
    elif called(made) in _MAKERS and made.args and dim == 0 and source is broken.source:
        yield from _sized(source, made, rows)


def _like(source: Source, made: ast.Call) -> Iterator[Edit]:
    """Like what was made of the tensor whose sizes it has, nearest first."""
    function, old = innermost(source, made), ast.unparse(made.args[0])
    found: dict[str, int] = {}
    for one in walk(function) if function is not None else ():
        if not isinstance(one, ast.Assign) or one.lineno >= made.lineno or not isinstance(one.value, ast.Call):
            continue
        name, parts = one.targets[0], [ast.unparse(part) for part in walk(one.value) if isinstance(part, ast.expr)]
        if isinstance(name, ast.Name) and name.id != old and old in parts:
            found[name.id] = one.lineno
    for name in sorted(found, key=lambda one: -found[one]):
        title = f"Make it like {_text.title(name)} in place of {_text.title(old)}"
        yield Edit(title, source.path, _text.instead(source, made.args[0], name))


def _sized(source: Source, made: ast.Call, rows: ast.expr) -> Iterator[Edit]:
    """As many rows as are written, each with the sizes of one of those that are added."""
    function = innermost(source, made)
    if function is None or not isinstance(rows, ast.Name):
        return
    before = any(line < made.lineno for line, _ in bindings(function, rows.id))
    if not before and rows.id not in passed_to(function):
        return
    several = made.args[0].elts if isinstance(made.args[0], ast.Tuple | ast.List) else []
    count = (several or made.args)[0]
    sizes = f"{_text.written(source, count)}, *{rows.id}.shape[1:]"
    given = [f"({sizes})" if several else sizes]
    given += [f"{one.arg}={_text.written(source, one.value)}" for one in made.keywords if one.arg is not None]
    text = f"{_text.written(source, made.func)}({', '.join(given)})"
    yield Edit(f"Make it with {_text.title(sizes)}", source.path, _text.instead(source, made, text))


MEND = Mend(frozenset({"index-tensor"}), propose)
