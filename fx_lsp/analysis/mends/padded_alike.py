"""Samples of different lengths that are stacked, where what is stacked beside them is padded: padded by as much.

masks.append(torch.ones(n))  # beside `xs.append(F.pad(x, (0, longest - n)))`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import listed
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk
from fx_lsp.model.value import Group, TensorType


def propose(broken: Broken) -> Iterator[Edit]:
    """In the one dim in which they differ, by what the others are padded by."""
    node, given = broken.place(0, "tensors"), broken.call.operand(0, "tensors")
    items = given.value.items if given is not None and isinstance(given.value, Group) else ()
    shapes = [one.shape for one in items if isinstance(one, TensorType)]
    functional = imported(broken.source, "torch.nn.functional")
    if broken.call.target != "stack" or not isinstance(node, ast.Name) or not functional:
        return
    differ = [dim for dim, sizes in enumerate(zip(*shapes, strict=False)) if len(set(sizes)) > 1]
    if len({*map(len, shapes)}) != 1 or len(differ) != 1:
        return
    function = innermost(broken.source, node)
    amounts = dict.fromkeys(ast.unparse(one) for one in _amounts(function)) if function is not None else ()
    for _, value in listed(broken.source, node):
        for amount in amounts if not isinstance(value, ast.List) else ():
            ends = ", ".join(["0, 0"] * (len(shapes[0]) - 1 - differ[0]) + [f"0, {amount}"])
            text = f"{functional}.pad({broken.text(value)}, ({ends}))"
            yield from broken.instead(value, (text,))


def _amounts(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What other tensors are padded by there."""
    for one in walk(function):
        if isinstance(one, ast.Call) and called(one) == "pad" and len(one.args) > 1:
            parts = one.args[1].elts if isinstance(one.args[1], ast.Tuple | ast.List) else []
            yield from (part for part in parts if not isinstance(part, ast.Constant))


MEND = Mend(frozenset({"cat-sizes"}), propose)
