"""Sizes that do not fit, where sizes were unpacked and are used by nothing: the rows taken apart into them again.

T, B = dones.shape
x = self.encode(batch)  # [T * B, features]; meant is `.unflatten(0, (T, B))` after it
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import unpacked
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._statements import innermost, statement_of
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 3


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each call on the way, but the one that fails: what a variable is bound to before what is a part of others."""
    steps = [step for step in path(broken) if isinstance(step.node, ast.Call) and step.node is not broken.node]
    steps.sort(key=lambda step: not _is_bound(step.source, step.node))
    found = ((step, names) for step in steps for names in _spare(step.source, step.node))
    for step, names in islice(found, MAX_FOUND):
        yield _text.suffixed(step.source, step.node, f".unflatten(0, ({', '.join(names)}))")


def _is_bound(source: Source, node: ast.expr) -> bool:
    statement = statement_of(source, node)
    return isinstance(statement, ast.Assign) and statement.value is node


def _spare(source: Source, node: ast.expr) -> Iterator[list[str]]:
    """The names that one assignment before unpacks first, where all of them are used by nothing."""
    function = innermost(source, node)
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Name)]
    used = {one.id for one in inside if isinstance(one.ctx, ast.Load)}
    for line, names in unpacked(function) if function is not None else ():
        spare = names[: next((place for place, one in enumerate(names) if one in used), len(names))]
        if line < node.lineno and len(spare) > 1 and not any(one.startswith("_") for one in spare):
            yield spare[:2]


_CAUSES = ("broadcast-sizes", "matmul-sizes", "cat-sizes", "loss-sizes", "attention-sizes", "conv-dims",
           "conv-channels", "recurrent-state", "recurrent-features", "linear-features", "norm-features",
           "einsum-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
