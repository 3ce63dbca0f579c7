"""Sizes that do not fit, of a tensor that is made of sizes and lacks a dim of 1: made with it.

real, fake = torch.ones(batch), torch.zeros(batch)  # meets scores of `[batch, 1]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import bindings
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._shapes import broadcast
from fx_lsp.analysis.mends._statements import innermost

_MAKERS = frozenset({"ones", "zeros", "rand", "randn", "empty", "new_ones", "new_zeros"})


def propose(broken: Broken) -> Iterator[Edit]:
    """Those that are made alike beside it too."""
    function = innermost(broken.source, broken.node)
    within = function if function is not None else broken.source.tree
    for (node, shape), (_, other), _ in pairs(broken):
        found = bindings(within, node.id) if isinstance(node, ast.Name) and within is not None else ()
        made = [one for _, one in found if isinstance(one, ast.Call) and called(one) in _MAKERS]
        sizes = made[-1].args if made and made[-1].lineno < broken.node.lineno else []
        if len(sizes) != len(shape) or not sizes or len(other) != len(shape) + 1:
            continue
        written = [ast.unparse(one) for one in sizes]
        alike = [one for one in broken.source.every(ast.Call) if one.lineno == made[-1].lineno
                 and called(one) in _MAKERS and [ast.unparse(size) for size in one.args] == written]  # fmt: skip
        for place in range(len(shape), -1, -1):
            new = (*shape[:place], 1, *shape[place:])
            if new == other or (broken.cause == "broadcast-sizes" and broadcast(new, other) is not None):
                shown = ", ".join([*written[:place], "1", *written[place:]])
                title = f"Make {_text.title(f'{called(made[-1])}({shown})')}, line {made[-1].lineno}"
                changes = tuple(part for one in alike for part in _with_one(broken, one.args, place))
                yield Edit(title, broken.source.path, changes)


def _with_one(broken: Broken, sizes: list[ast.expr], place: int) -> _text.Changes:
    near = sizes[min(place, len(sizes) - 1)]
    text = broken.text(near)
    return _text.instead(broken.source, near, f"{text}, 1" if place == len(sizes) else f"1, {text}")


MEND = Mend(frozenset({"loss-sizes", "broadcast-sizes"}), propose, sure=True)
