"""Sizes that cannot be broadcast, where one operand is taken at places and the other is not: at those beside them.

src, dst = edges
left[src] + right  # meant is `right[dst]`
gathered = nodes * weights  # nodes, and weights of edges: meant is `nodes[src]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import unpacked
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._statements import innermost, statement_of
from fx_lsp.analysis.source import walk

MAX_PLACES = 2


def propose(broken: Broken) -> Iterator[Edit]:
    """Where they differ in the first dim alone: places that were unpacked together with those, then the same ones; else
    those that something else is taken at in this function."""
    function = innermost(broken.source, broken.node)
    for (node, shape), (other, there), differ in pairs(broken):
        taken = other.slice if isinstance(other, ast.Subscript) else None
        first = len(shape) == len(there) and [one for one, _ in differ] == [-len(shape)]
        name = _name(node)
        if function is None or not first or name is None:
            continue
        if not isinstance(taken, ast.Name):
            yield from broken.after(name, (f"[{one}]" for one in _places(function, broken, name.id)[:MAX_PLACES]))
            continue
        groups = [names for line, names in unpacked(function) if line < broken.node.lineno and taken.id in names]
        beside = [one for names in groups[-1:] for one in names if one != taken.id]
        yield from broken.after(name, (f"[{one}]" for one in (*beside, taken.id)))


def _name(node: ast.expr | None) -> ast.Name | None:
    """The variable, alone or with a number added: `(total + 1e-6)`."""
    if isinstance(node, ast.BinOp):
        sides = [one for one in (node.left, node.right) if not isinstance(one, ast.Constant)]
        return _name(sides[0]) if len(sides) == 1 else None
    return node if isinstance(node, ast.Name) else None


def _places(function: ast.FunctionDef, broken: Broken, name: str) -> list[str]:
    """Names that stand alone in an index, and beside this one in another statement, which it is taken at or made with,
    or that something made with it is taken at: those that what fails is given to besides last, which has used them."""
    own = statement_of(broken.source, broken.node)
    others = [one for one in walk(function) if isinstance(one, ast.Assign | ast.Expr) and one is not own]
    met = [{part.id for part in walk(one) if isinstance(part, ast.Name)} for one in others]
    found = [one.slice.id for one in walk(function) if isinstance(one, ast.Subscript)
             and isinstance(one.slice, ast.Name) and isinstance(one.ctx, ast.Load)
             and any(name in names and (one.slice.id in names or ast.unparse(one.value) in names) for names in met)
             ]  # fmt: skip
    counters = {part.id for one in walk(function) if isinstance(one, ast.For | ast.comprehension)
                for part in walk(one.target) if isinstance(part, ast.Name)}  # fmt: skip
    calls = [one for one in walk(function) if isinstance(one, ast.Call) and broken.node in one.args]
    used = {one.id for call in calls for one in call.args if isinstance(one, ast.Name)}
    return sorted((one for one in dict.fromkeys(found) if one not in counters), key=lambda one: one in used)


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
