"""Sizes that do not fit, where the first of something are taken into a variable of their own, and stay in it as well.

tokens = x[:, :count]
x.transpose(1, 2).reshape(b, c, h, w)  # meant is `x = x[:, count:]` before
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import block_of, innermost, statement_of
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """The others after that, where what fails uses all of them, and nothing before has."""
    function = innermost(broken.source, broken.node)
    statement = statement_of(broken.source, broken.node)
    names = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Name)]
    used = {one.id for one in walk(broken.node) if isinstance(one, ast.Name)}
    # What stands further out may be for other rounds and branches too.
    block = block_of(function, statement) if function is not None and statement is not None else []
    for one in (one for one in block if isinstance(one, ast.Assign)):
        if function is None or statement is None or one.end_lineno is None or one.end_lineno >= statement.lineno:
            continue
        value = one.value if isinstance(one.targets[0], ast.Name) else None
        name = value.value.id if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) else ""
        if not isinstance(value, ast.Subscript) or name not in used or ast.unparse(one.targets[0]) == name:
            continue
        parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        last = parts[-1]
        between = any(part.id == name and _end(one) < _start(part) < _start(statement) for part in names)
        if isinstance(last, ast.Slice) and last.lower is None and last.upper and last.step is None and not between:
            before = [_text.written(broken.source, part) for part in parts[:-1]]
            index = ", ".join([*before, f"{_text.written(broken.source, last.upper)}:"])
            if not _taken(function, name, last.upper):
                yield broken.inserted(statement, f"{name} = {name}[{index}]")


def _taken(function: ast.FunctionDef, name: str, start: ast.expr) -> bool:
    """Whether the others are written already: `x[:, n:]`."""
    inside = [one for one in walk(function) if isinstance(one, ast.Subscript) and ast.unparse(one.value) == name]
    parts = [part for one in inside for part in walk(one.slice) if isinstance(part, ast.Slice)]
    return any(part.lower is not None and ast.unparse(part.lower) == ast.unparse(start) for part in parts)


def _start(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


_CAUSES = ("view-elements", "axes-pattern", "broadcast-sizes", "cat-sizes", "unflatten-sizes", "matmul-sizes")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
