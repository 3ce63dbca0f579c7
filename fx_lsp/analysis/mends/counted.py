"""Sizes that differ by one, where something is made of a number of steps: one step more, or one fewer.

self.edges = torch.linspace(0, 1, bins)  # meant is `bins + 1`: so many have that many edges
low, high = self.edges[:-1], self.edges[1:]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import FILLED
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of

MAX_FOUND = 4
_STEPS = {"linspace": (2, "steps"), "logspace": (2, "steps")}


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand: what makes it as long as the other is, if nothing is cut off on the way; else the other way."""
    found: dict[tuple[int, str], Edit] = {}
    for (node, shape), (_, other), differ in pairs(broken):
        more = {other[back] - shape[dim] for dim, back in differ}
        if node is None or more not in ({1}, {-1}):
            continue
        for step in path_of(broken, node):
            for part in _counts(step.node):
                old = _text.written(step.source, part)
                for new in _moved(old, part, *more):
                    title = f"Use {_text.title(new)} in place of {_text.title(old)}, line {part.lineno}"
                    edit = Edit(title, step.source.path, _text.instead(step.source, part, new))
                    found.setdefault((id(part), new), edit)
    yield from islice(found.values(), MAX_FOUND)


def _counts(node: ast.expr) -> list[ast.expr]:
    """Where it is written how many there are."""
    if not isinstance(node, ast.Call):
        return []
    name = called(node)
    if name == "arange":
        return node.args[:1] if len(node.args) == 1 else node.args[1:2]
    if name in _STEPS:
        place, keyword = _STEPS[name]
        return [one.value for one in node.keywords if one.arg == keyword] or node.args[place : place + 1]
    parts = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple | ast.List) else node.args
    return [*parts] if name in FILLED - {"full"} else []


def _moved(text: str, node: ast.expr, more: int) -> list[str]:
    """So many more, then fewer; `n` for `n + 1`."""
    found: list[str] = []
    for step in (more, -more):
        right = node.right if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else None
        if isinstance(node, ast.Constant):
            found += [str(node.value + step)] if type(node.value) is int and node.value + step > 0 else []
        elif isinstance(node, ast.BinOp) and isinstance(right, ast.Constant) and right.value == 1:
            back = isinstance(node.op, ast.Sub) == (step > 0)
            found += [ast.unparse(node.left)] if back else [f"{ast.unparse(node.left)} {'+-'[step < 0]} 2"]
        else:
            found.append(f"{text} {'+-'[step < 0]} 1")
    return found


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "einsum-sizes", "loss-sizes")
MEND = Mend(frozenset(_CAUSES), propose)
