"""A dim that a `squeeze` on the way leaves as it is, since the layer before makes more than one: made with one output.

self.score = nn.Linear(64, 64)       # meant is `nn.Linear(64, 1)`
weights = self.score(x).squeeze(-1)  # f32[8, 10, 64] as before
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import subject
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._produced import Place


def propose(broken: Broken) -> Iterator[Edit]:
    """The layers that make what is squeezed, where that is the dim of their features."""
    for step in path(broken):
        call = step.node if isinstance(step.node, ast.Call) and called(step.node) == "squeeze" else None
        given = subject(step.source, call) if call is not None else None
        dim = next((one for part in call.args if (one := number(part)) is not None), None) if call is not None else None
        for origin in Place(step.source, step.callers, files=step.files).origins(given) if given is not None else ():
            space = dims_of(origin.target)
            if dim is None or origin.turned or origin.target == PARAMETER or dim != (1 if space else -1):
                continue
            name = origin.output(dim)
            size, made = (
                broken.making(origin).argument(name),
                _text.title(_text.written(origin.source, origin.node.func)),
            )
            if size is not None:
                title = f"Change {name} of {made} to `1`, line {size.lineno}"
                yield Edit(title, origin.source.path, _text.instead(origin.source, size, "1"))


_CAUSES = ("broadcast-sizes", "loss-sizes", "cat-sizes", "matmul-sizes", "einsum-sizes", "unpack-dims", "conv-dims",
           "recurrent-features", "index-range")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
