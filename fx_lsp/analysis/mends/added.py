"""Tensors joined that have not as many dims, and that may be added: what is learned of places, to tokens.

torch.cat([tokens, places], dim=-1)  # f32[4, 64, 768] and f32[64, 768]; meant is `tokens + places`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import held
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import broadcast
from fx_lsp.analysis.mends._statements import statement_of
from fx_lsp.analysis.source import walk
from fx_lsp.model.value import Group, TensorType


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the larger of two keeps its sizes."""
    given, place = broken.call.operand(0, "tensors"), broken.place(0, "tensors")
    items = given.value.items if given is not None and isinstance(given.value, Group) else ()
    shapes = [one.shape for one in items if isinstance(one, TensorType)]
    nodes = held(broken.source, place, len(items)) if len(shapes) == len(items) == 2 else []
    if len(nodes) != 2 or broken.call.target == "stack" or len(shapes[0]) == len(shapes[1]):
        return
    if broadcast(*shapes) == max(shapes, key=len):
        text = " + ".join(broken.alone(node) for node in nodes)
        yield from broken.instead(broken.node, (text if _is_alone(broken) else f"({text})",))


def _is_alone(broken: Broken) -> bool:
    """Whether nothing binds it to what is beside it: all of a statement, or an argument."""
    statement = statement_of(broken.source, broken.node)
    calls = (one for one in (walk(statement) if statement is not None else ()) if isinstance(one, ast.Call))
    return getattr(statement, "value", None) is broken.node or any(broken.node in call.args for call in calls)


MEND = Mend(frozenset({"cat-sizes"}), propose)
