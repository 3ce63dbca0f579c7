"""Sizes that do not fit, of parts of what a layer makes several of: made for as many as it is split into.

self.head = nn.Linear(dim, count)  # meant is `2 * count`
mean, scale = self.head(x).chunk(2, dim=-1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import subject
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._produced import Place


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the layers of which parts are on the way, the nearest first."""
    for step in path(broken):
        if isinstance(step.node, ast.Call) and called(step.node) in ("chunk", "tensor_split"):
            given = [*step.node.args, *(one.value for one in step.node.keywords)]
            parts = next((count for one in given if (count := number(one)) is not None and count > 1), None)
            yield from _made(broken, step, step.node, parts) if parts is not None else ()


def _made(broken: Broken, step: Step, split: ast.Call, parts: int) -> Iterator[Edit]:
    whole = subject(step.source, split)
    place = Place(step.source, step.callers, files=step.files)
    for origin in place.origins(whole) if whole is not None else ():
        source, size = origin.source, broken.making(origin).argument(origin.output(-1))
        if size is None or origin.target == PARAMETER:
            continue
        sides = [size.left, size.right] if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult) else []
        factors = [one for one in sides if number(one) is not None]
        node, text = (factors[0], str(parts)) if factors else (size, f"{parts} * {_text.alone(source, size)}")
        title = f"Change {_text.title(_text.written(source, node))} to {_text.title(text)}"
        yield Edit(f"{title}, line {node.lineno}", source.path, _text.instead(source, node, text))


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "attention-sizes", "view-elements",
           "unpack-dims", "linear-features", "conv-channels", "einsum-sizes", "axes-pattern")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
