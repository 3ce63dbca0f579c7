"""Sizes that cannot be broadcast: what runs as each of one batch meets each of another one, or without some features.

pred.unsqueeze(1) & true  # `[6, 96, 96]` and `[4, 96, 96]`
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends.broadcasting import by_accident, changes, is_rough, shapes_of


def propose(broken: Broken) -> Iterator[Edit]:
    """The smallest result first."""
    shapes = shapes_of(broken)
    for key, suffix in changes(broken):
        if by_accident(suffix, key, shapes) and not is_rough(suffix, shapes[key]):
            yield from broken.after(broken.place(-1, key), (suffix,))


MEND = Mend(frozenset({"broadcast-sizes"}), propose, last=True)
