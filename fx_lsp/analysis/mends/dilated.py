"""Sizes in space that do not fit, of a convolution with a dilation that its padding does not know.

nn.Conv2d(cin, cout, k, padding=k // 2, dilation=dilation)  # meant is `dilation * (k // 2)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the convolutions that made an operand."""
    for (node, _), _, differ in pairs(broken):
        for origin in broken.origins(node) if node is not None and differ else ():
            made = broken.making(origin)
            padding, dilation = made.argument("padding"), made.argument("dilation")
            if padding is None or dilation is None or isinstance(padding, ast.Tuple | ast.List):
                continue
            own = {ast.unparse(one) for one in ast.walk(padding)}
            if ast.unparse(dilation) not in own:
                both = f"{_text.alone(made.source, dilation)} * {_text.alone(made.source, padding)}"
                title = f"Change {_text.title(_text.written(made.source, padding))} to {_text.title(both)}"
                yield Edit(title, made.source.path, _text.instead(made.source, padding, both))


MEND = Mend(frozenset({"cat-sizes", "broadcast-sizes"}), propose)
