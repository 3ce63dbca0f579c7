"""A layer gets what is turned first, or is turned after it: the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_TURNS = ("transpose", "permute", "movedim", "swapaxes")


def propose(broken: Broken) -> Iterator[Edit]:
    """`norm(x).transpose(1, 2)` for `norm(x.transpose(1, 2))`, and back."""
    node, given = broken.node, broken.place(0, "input")
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords or given is None:
        return
    name = broken.text(node.func)
    if _is_turn(given) and isinstance(given.func, ast.Attribute):
        turn = broken.text(given)[len(broken.text(given.func.value)) :]
        yield from broken.instead(node, (f"{name}({broken.text(given.func.value)}){turn}",))
    for outer in broken.source.every(ast.Call):
        if _is_turn(outer) and isinstance(outer.func, ast.Attribute) and outer.func.value is node:
            turn = broken.text(outer)[len(broken.text(node)) :]
            yield from broken.instead(outer, (f"{name}({broken.alone(given)}{turn})",))


def _is_turn(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TURNS


_CAUSES = ("linear-features", "norm-features", "conv-channels", "recurrent-features")
MEND = Mend(frozenset(_CAUSES), propose)
