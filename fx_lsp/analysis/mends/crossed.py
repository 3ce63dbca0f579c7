"""Sizes or types that do not fit, where arguments are passed in the wrong order, or two calls got each other's.

return self.attend(r, x, target)  # meant is `self.attend(x, r, target)`
q, k = self.q(memory), self.k(x)  # meant is `self.q(x), self.k(memory)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._statements import statement_of
from fx_lsp.analysis.source import Source, walk

MAX_CALLS = 4
"""From what fails outwards."""
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript)


def propose(broken: Broken) -> Iterator[Edit]:
    """Two neighbours of each call that led there, the innermost first; then those of two calls in one statement."""
    led, steps = [*broken.places[:MAX_CALLS]], path(broken)
    led += [(step.source, step.node) for step in steps if isinstance(step.node, ast.Call)]
    made_of = {id(step.node) for step in steps}
    for source, node in led:
        for one, other in pairwise(node.args) if isinstance(node, ast.Call) else ():
            yield from _exchanged(source, one, other) if made_of & {id(one), id(other)} else ()
    for source, node in led:
        statement = statement_of(source, node)
        yield from _between(source, statement) if isinstance(statement, ast.Assign | ast.Return) else ()


def _between(source: Source, statement: ast.stmt) -> Iterator[Edit]:
    """What two calls beside each other are given, each one thing: `f(a), g(b)`."""
    value = statement.value if isinstance(statement, ast.Assign | ast.Return) else None
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    calls = [next((one for one in walk(part) if _is_plain(one)), None) for part in parts if part is not None]
    for one, other in combinations([call for call in calls if isinstance(call, ast.Call)], 2):
        # One function of both gives the same for both.
        if ast.unparse(one.func) != ast.unparse(other.func):
            yield from _exchanged(source, one.args[0], other.args[0])


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], _PLAIN)


def _exchanged(source: Source, one: ast.expr, other: ast.expr) -> Iterator[Edit]:
    if isinstance(one, _PLAIN) and isinstance(other, _PLAIN):
        texts = [_text.written(source, part) for part in (one, other)]
        spans = [source.span(part) for part in (one, other)]
        title = f"Exchange {' and '.join(map(_text.title, texts))}, line {one.lineno}"
        yield Edit(title, source.path, tuple(zip(spans, reversed(texts), strict=True)))


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "linear-features", "conv-channels", "conv-dims",
           "norm-features", "recurrent-features", "recurrent-state", "attention-sizes", "view-elements", "loss-sizes",
           "einsum-sizes", "embedding-ids", "index-range", "index-tensor", "index-dtype", "mixed-dtypes",
           "dim-range", "unpack-dims", "loss-dtypes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
