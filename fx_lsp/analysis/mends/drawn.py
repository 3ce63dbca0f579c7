"""Sizes that do not fit, where data is made of numbers: with the batch that is missing, without one, in another order.

points = torch.randn(3, 128)  # meant is `torch.randn(2, 3, 128)`
labels = torch.randint(0, 13, (2, 128))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import FILLED
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source
from fx_lsp.model.span import Span

MAX_BATCHES = 2
"""Sizes that a batch beside it may have."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of what is made on the way, the nearest first."""
    for step in path(broken):
        sizes = _sizes(step.node)
        if len(sizes) < 2:
            continue
        source, texts = step.source, [_text.written(step.source, one) for one in sizes]
        ways = [[batch, *texts] for batch in _batches(source, step.node, len(sizes))[:MAX_BATCHES]]
        ways += [texts[1:]] if len(texts) > 2 else []
        for first, second in pairwise(range(len(texts) - 1, -1, -1)) if len(texts) > 2 else ():
            order = [*texts]
            order[first], order[second] = order[second], order[first]
            ways.append(order)
        for way in ways:
            text = ", ".join(way)
            yield Edit(f"Make {_text.title(text)}, line {step.node.lineno}", source.path,
                       ((_whole(source, sizes), text),))  # fmt: skip


def _sizes(node: ast.expr) -> list[ast.expr]:
    """What is written for them."""
    if not isinstance(node, ast.Call) or called(node) not in {*FILLED, "randint"}:
        return []
    groups = [one for one in node.args if isinstance(one, ast.Tuple | ast.List)]
    plain = groups[0].elts if groups else node.args if called(node) != "randint" else []
    return [] if any(isinstance(one, ast.Starred) for one in plain) else plain


def _batches(source: Source, node: ast.expr, rank: int) -> list[str]:
    """The first size of what is made beside it, that with as many dims as it lacks first; else one."""
    function = innermost(source, node)
    beside = [one for one in source.every(ast.Call) if innermost(source, one) is function and one is not node]
    found = [(abs(len(sizes) - rank - 1), _text.written(source, sizes[0])) for one in beside if (sizes := _sizes(one))]
    return list(dict.fromkeys([text for _, text in sorted(found, key=lambda one: one[0])] or ["1"]))


def _whole(source: Source, sizes: list[ast.expr]) -> Span:
    first, last = source.span(sizes[0]), source.span(sizes[-1])
    return Span(first.path, first.line, first.column, last.end_line, last.end_column)


_CAUSES = ("attention-sizes", "broadcast-sizes", "conv-channels", "conv-dims", "dim-range", "einsum-sizes",
           "index-range", "linear-features", "loss-sizes", "matmul-sizes", "norm-features", "recurrent-features",
           "recurrent-state", "unpack-dims", "axes-pattern")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
