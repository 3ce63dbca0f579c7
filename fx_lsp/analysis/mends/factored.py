"""Sizes that do not fit, of parts of what a layer makes several of: made for as many as it is split into.

self.head = nn.Linear(dim, 2 * count)  # meant is `3 * count`
weight, mean, scale = self.head(x).chunk(3, dim=-1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the layers that made an operand."""
    for node in broken.written.values():
        for origin in broken.origins(node):
            made = broken.making(origin)
            size = made.argument(origin.output(-1)) if origin.parts > 1 else None
            sides = [size.left, size.right] if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult) else []
            for side in sides:
                factor = number(side)
                if factor is not None and factor != origin.parts:
                    shown = f"{_text.title(str(factor))} to {_text.title(str(origin.parts))}"
                    title = f"Change {shown} in {_text.title(_text.written(made.source, made.node))}"
                    yield Edit(title, made.source.path, _text.instead(made.source, side, str(origin.parts)))


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "attention-sizes", "view-elements",
           "unpack-dims")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
