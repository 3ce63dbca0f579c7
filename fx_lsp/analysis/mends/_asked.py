"""Where the sizes of tensors are asked for that what fails was made with: `x.size(1)`, `x.shape[1]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path, path_of
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk


def asked(broken: Broken) -> list[tuple[Source, ast.expr]]:
    """The nearest first; then in functions that led there, and in what these call."""
    inside = [one for part in _leading(broken) for one in walk(part) if isinstance(one, ast.expr)]
    inside.sort(key=lambda one: -one.lineno)
    found = {id(one): (broken.source, one) for one in inside if dim_of(one) is not None}
    for step in chain(path(broken), *(path_of(broken, one) for one in broken.written.values())):
        given = step.node.args if isinstance(step.node, ast.Call) else [step.node]
        for part in (part for one in given for part in walk(one)):
            if isinstance(part, ast.expr) and dim_of(part) is not None:
                found.setdefault(id(part), (step.source, part))
    return [*found.values()]


def _leading(broken: Broken) -> Iterator[ast.AST]:
    """The expression that fails, and what the names in it were bound to before, and those in that."""
    function = innermost(broken.source, broken.node)
    inside = walk(function) if function is not None else ()
    bound = [one for one in inside if isinstance(one, ast.Assign | ast.For) and one.lineno <= broken.node.lineno]
    names = _names(broken.node)
    yield broken.node
    for one in sorted(bound, key=lambda one: -one.lineno):
        targets = one.targets if isinstance(one, ast.Assign) else [one.target]
        if names & {name for target in targets for name in _names(target)}:
            value = one.value if isinstance(one, ast.Assign) else one.iter
            names |= _names(value)
            yield value


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in walk(node) if isinstance(one, ast.Name)}


def dim_of(node: ast.expr) -> ast.expr | None:
    """Where the dim is written: `x.size(1)`, `x.shape[1]`."""
    if isinstance(node, ast.Call) and called(node) == "size" and len(node.args) == 1 and not node.keywords:
        return node.args[0] if number(node.args[0]) is not None else None
    if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape":
        return node.slice if number(node.slice) is not None else None
    return None


def subject_of(node: ast.expr) -> ast.expr | None:
    """The tensor whose size it is."""
    inner = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else None
    return inner.value if isinstance(inner, ast.Attribute) else None
