"""A grid with its coordinates in another dim than the last, or without a batch."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """The coordinates last; places as a row or a column; one grid for the whole batch."""
    shape, grid = broken.call.shape(0, "input"), broken.call.shape(1, "grid")
    node = broken.place(1, "grid")
    if not shape or not grid or len(shape) not in (4, 5):
        return
    space = len(shape) - 2
    if len(grid) == len(shape) and grid[1] == space != grid[-1]:
        order = ", ".join(map(str, (0, *range(2, len(grid)), 1)))
        yield from broken.after(node, (f".permute({order})",))
    if len(grid) == len(shape) - 1 and grid[-1] == space:
        if grid[0] == shape[0]:  # places of each of the batch, one beside the other
            yield from broken.after(node, (".unsqueeze(2)", ".unsqueeze(1)"))
        yield from broken.after(node, (f".expand({shape[0]}, {', '.join(['-1'] * len(grid))})",))
    if len(grid) == len(shape) and grid[-1] == space and grid[0] == 1:
        yield from broken.after(node, (f".expand({shape[0]}, {', '.join(['-1'] * (len(grid) - 1))})",))


MEND = Mend(frozenset({"grid-sizes"}), propose)
