"""Sizes that cannot be broadcast, where one operand was given dims of 1 before: the same dims at other places."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import MAX_DIMS, broadcast
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """For `cos = cos[None, None, :, :]`, and for what is indexed in the same way in the same statement."""
    given = [(str(key), one) for key, one in (*enumerate(broken.call.operands), *broken.call.named.items())]
    shapes = {key: one.shape for key, one in given if one.shape is not None}
    for key, shape in shapes.items():
        node = broken.place(-1, key)
        found = _indexed(broken, node) if isinstance(node, ast.Name) else None
        others = [other for name, other in shapes.items() if name != key]
        if found is None or not shape or len(shape) > MAX_DIMS:
            continue
        statement, marks = found
        if len(marks) != len(shape):
            continue
        kept = [size for size, mark in zip(shape, marks, strict=True) if mark == ":"]
        for places in combinations(range(len(shape)), len(kept)):
            sizes = iter(kept)
            new = tuple(next(sizes) if dim in places else 1 for dim in range(len(shape)))
            if broadcast(new, *others) is not None:
                texts = [":" if dim in places else "None" for dim in range(len(shape))]
                yield from _edit(broken, statement, marks, ", ".join(texts))


def _edit(broken: Broken, statement: ast.Assign, marks: list[str], text: str) -> Iterator[Edit]:
    parts = [one for one in walk(statement.value) if isinstance(one, ast.Subscript) and _marks(one) == marks]
    if text != ", ".join(marks):
        changes = tuple((broken.source.span(one.slice), text) for one in parts)
        yield Edit(f"Index with {_text.title(f'[{text}]')}", broken.source.path, changes)


def _indexed(broken: Broken, name: ast.Name) -> tuple[ast.Assign, list[str]] | None:
    """The last assignment of the name before its use, where it is indexed with `None` and whole dims."""
    function = innermost(broken.source, name)
    statements = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Assign)]
    found = [one for one in statements if one.lineno < name.lineno and _part(one, name.id) is not None]
    last = max(found, key=lambda one: one.lineno, default=None)
    marks = _marks(_part(last, name.id)) if last is not None else None
    return (last, marks) if last is not None and marks is not None else None


def _part(statement: ast.Assign, name: str) -> ast.expr | None:
    """What the name is bound to."""
    target, value = statement.targets[0], statement.value
    both = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        both = list(zip(target.elts, value.elts, strict=False))
    return next((part for one, part in both if isinstance(one, ast.Name) and one.id == name), None)


def _marks(node: ast.expr | None) -> list[str] | None:
    """`None` and `:` of an index of nothing else."""
    parts = node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else []
    texts = [ast.unparse(part) for part in parts]
    return texts if "None" in texts and set(texts) <= {"None", ":"} else None


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
