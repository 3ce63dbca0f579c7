"""Sizes that do not fit, of what two sums or the like leave, each over other dims: both over the same.

counts = mask.float().mean(dim=0)
shares = probs.mean(dim=-1)  # meant is dim 0
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends.reduced import dims_written


def propose(broken: Broken) -> Iterator[Edit]:
    """Each over the dims of the other, the one that comes last first."""
    found: list[tuple[int, Edit]] = []
    for (own, shape), (other, there), _ in pairs(broken):
        (source, node), (beside, made) = broken.origin(own), broken.origin(other)
        written = dims_written(node) if isinstance(node, ast.Call) else None
        wanted = dims_written(made) if isinstance(made, ast.Call) else None
        if written is not None and wanted is not None and len(shape) == len(there) and source.path == beside.path:
            text = _text.written(beside, wanted)
            title = f"Reduce dim {text} in place of {_text.written(source, written)}, line {written.lineno}"
            found.append((written.lineno, Edit(title, source.path, _text.instead(source, written, text))))
    yield from (edit for _, edit in sorted(found, key=lambda one: -one[0]))


MEND = Mend(frozenset({"broadcast-sizes", "loss-sizes"}), propose, sure=True)
