"""A product of batches of which one has a single matrix that is meant for all: it is expanded to the other's batch.

scores = torch.bmm(memory, query)  # memory is f32[1, 7, 16], query f32[4, 16, 1]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.matmul_sizes import PLACES
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import layer_called, subject
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import product
from fx_lsp.analysis.mends._statements import before


def propose(broken: Broken) -> Iterator[Edit]:
    """The name bound anew where it is used again after it; else the operand alone."""
    first, second = PLACES[broken.call.target]
    if broken.call.target not in ("bmm", "baddbmm"):
        return
    for own, other in ((first, second), (second, first)):
        shape, wanted = broken.call.shape(own) or (), broken.call.shape(other) or ()
        sides = (shape, wanted) if own == first else (wanted, shape)
        node, name = broken.place(own), _name(broken, broken.place(other))
        if len(shape) != 3 or len(wanted) != 3 or shape[0] != 1 or node is None or product(*sides) is None:
            continue
        suffix = f".expand({f'{name}.size(0)' if name else wanted[0]}, -1, -1)"
        place = before(broken.source, broken.node, node.id) if isinstance(node, ast.Name) else None
        if place is not None:
            yield broken.inserted(place, f"{broken.text(node)} = {broken.text(node)}{suffix}")
        yield from broken.instead(node, (f"{broken.alone(node)}{suffix}",))


def _name(broken: Broken, node: ast.expr | None) -> str:
    """The variable that has the same batch: what methods are called on, or layers."""
    while isinstance(node, ast.Call):
        node = node.args[0] if layer_called(broken.source, node.func) and node.args else subject(broken.source, node)
    return node.id if isinstance(node, ast.Name) else ""


MEND = Mend(frozenset({"matmul-sizes"}), propose)
