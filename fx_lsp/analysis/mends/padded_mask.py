"""A mask for fewer keys than there are, since some were put before them: these are not masked.

k = torch.cat([null, k], dim=2)
scores = scores.masked_fill(~mask, -1e9)  # meant is `F.pad(~mask, (1, 0))`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends._shapes import broadcast

MAX_MORE = 4
"""Keys that may have been put before the others."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Longer by what it lacks in the last dim, where it fits then."""
    x, mask, node = broken.call.shape(0, "input"), broken.call.shape(1, "mask"), broken.place(1, "mask")
    pad = imported(broken.source, "torch.nn.functional")
    if broken.call.target not in ("masked_fill", "masked_fill_") or not x or not mask or node is None or not pad:
        return
    more = x[-1] - mask[-1]
    if 0 < more <= MAX_MORE and broadcast(x, (*mask[:-1], x[-1])) == x:
        yield from broken.instead(node, (f"{pad}.pad({broken.text(node)}, ({more}, 0))",))
        turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
        for step in path_of(broken, node):
            pad = imported(step.source, "torch.nn.functional")
            if isinstance(step.node, ast.Call) and pad:  # where it is made for all that it is given to
                text = f"{pad}.pad({_text.written(step.source, step.node)}, ({more}, 0), value={turned})"
                title = f"Use {_text.title(text)}, line {step.node.lineno}"
                yield Edit(title, step.source.path, _text.instead(step.source, step.node, text))


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
