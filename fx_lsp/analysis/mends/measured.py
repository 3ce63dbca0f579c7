"""Sizes that do not fit, where the size of another dim is asked for than is meant.

t = x.size(1)  # meant is `x.size(2)`
x * self.cos[:t]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source

MAX_FOUND = 4
_NEXT = (1, -1)


def propose(broken: Broken) -> Iterator[Edit]:
    """Those that what fails was made with, the nearest first: the dim after, then the one before; then in functions
    that led there, and in what these call."""
    inside = [one for part in _leading(broken) for one in ast.walk(part) if isinstance(one, ast.expr)]
    inside.sort(key=lambda one: -one.lineno)
    asked = {id(one): (broken.source, one) for one in inside if _asked(one) is not None}
    for step in path(broken):
        given = step.node.args if isinstance(step.node, ast.Call) else [step.node]
        for part in (part for one in given for part in ast.walk(one)):
            if isinstance(part, ast.expr) and _asked(part) is not None:
                asked.setdefault(id(part), (step.source, part))
    yield from islice(_others([*asked.values()]), MAX_FOUND)


def _leading(broken: Broken) -> Iterator[ast.AST]:
    """The expression that fails, and what the names in it were bound to before, and those in that."""
    function = innermost(broken.source, broken.node)
    inside = ast.walk(function) if function is not None else ()
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
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _others(asked: list[tuple[Source, ast.expr]]) -> Iterator[Edit]:
    for source, node in asked:
        dim = _asked(node)
        old = number(dim) if dim is not None else None
        for more in _NEXT if dim is not None and old is not None else ():
            # From the end to the end, from the start to the start.
            if dim is not None and old is not None and (old + more >= 0) == (old >= 0):
                shown = _text.title(_text.written(source, node))
                title = f"Use dim {old + more} in place of {old} in {shown}, line {node.lineno}"
                yield Edit(title, source.path, _text.instead(source, dim, str(old + more)))


def _asked(node: ast.expr) -> ast.expr | None:
    """Where the dim is written: `x.size(1)`, `x.shape[1]`."""
    if isinstance(node, ast.Call) and called(node) == "size" and len(node.args) == 1 and not node.keywords:
        return node.args[0] if number(node.args[0]) is not None else None
    if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape":
        return node.slice if number(node.slice) is not None else None
    return None


_CAUSES = ("broadcast-sizes", "cat-sizes", "view-elements", "expand-sizes", "attention-sizes", "loss-sizes",
           "matmul-sizes", "index-range", "assigned-sizes", "linear-features", "recurrent-state",
           "recurrent-features", "conv-channels", "norm-features", "einsum-sizes", "index-mask")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
