"""Sizes that are no whole numbers: divided to one, or rounded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.size_not_whole import NAMED, not_whole
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import last_bound
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._fields import fields
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Where it is divided; of several divisions in a call each."""
    found = not_whole(broken.call)
    named = [name for name, one in broken.call.named.items() if found is not None and one is found[1]]
    written = broken.place(found[0], *NAMED.get(broken.call.target, ())[1:], *named) if found is not None else None
    source, bound = broken.origin(written)
    kept = [*([written.attr] if isinstance(written, ast.Attribute) else []), *_keys(source, bound)]
    files = (broken.source, *(one for one in broken.files() if one is not broken.source)) if kept else ()
    held = [(one, value) for one in files for name in kept for value in fields(one, name)]
    held += [broken.origin(one) for one in _bounds(written)]
    for where, node in ((source, bound), (broken.source, written), *held, (broken.source, broken.node)):
        parts = _divisions(node)
        if len(parts) > 1 and isinstance(node, ast.Tuple | ast.List):
            changes = tuple((where.span(part), divided(where, part)) for part in parts)
            yield Edit("Use `//` for each of them", where.path, changes)
        for part in parts:
            yield Edit(f"Use {_text.title(divided(where, part))}", where.path,
                           _text.instead(where, part, divided(where, part)))  # fmt: skip
    for where, node in ((source, bound), *held):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and node is not written:
            text = f"int({_text.written(where, node)})"
            yield Edit(f"Use {_text.title(text)}", where.path, _text.instead(where, node, text))
        if isinstance(node, ast.ListComp | ast.GeneratorExp) and not _divisions(node.elt):
            text = f"int({_text.written(where, node.elt)})"
            yield Edit(f"Use {_text.title(text)}", where.path, _text.instead(where, node.elt, text))
    for where, owner in broken.owners:
        for one in (one for one in walk(owner) if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Div)):
            text = f"{_text.written(where, one.target)} //= {_text.written(where, one.value)}"
            title = f"Use {_text.title(text)}, line {one.lineno}"
            yield Edit(title, where.path, _text.instead(where, one, text))
    for one in _bounds(written) or [written]:
        if one is not None and not isinstance(one, ast.Tuple | ast.List | ast.Slice):
            yield from broken.instead(one, (f"int({broken.text(one)})",))


def _keys(source: Source, node: ast.expr | None) -> Iterator[str]:
    """Keys of a configuration that what is written is computed from: `r + n` after `r = hp["rank"]`."""
    function = innermost(source, node) if node is not None else None
    for one in walk(node) if node is not None and function is not None else ():
        value = last_bound(function, one) if isinstance(one, ast.Name) and function is not None else one
        key = value.slice if isinstance(value, ast.Subscript) else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _bounds(index: ast.expr | None) -> list[ast.expr]:
    """Where the slices of an index start and end."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    slices = [one for one in parts if isinstance(one, ast.Slice)]
    return [one for part in slices for one in (part.lower, part.upper) if one is not None]


def _divisions(node: ast.expr | ast.stmt | None) -> list[ast.BinOp]:
    inside = walk(node) if node is not None else ()
    return [one for one in inside if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div)]


def divided(source: Source, part: ast.BinOp) -> str:
    """The quotient as a whole number."""
    sides = [
        _text.written(source, one) if isinstance(one, ast.Constant) else _text.alone(source, one)
        for one in (part.left, part.right)
    ]
    return " // ".join(sides)


MEND = Mend(frozenset({"size-not-whole"}), propose)
