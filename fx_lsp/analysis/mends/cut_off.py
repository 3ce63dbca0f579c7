"""Sizes that cannot be broadcast, where one operand has a few too many: cut off at a number, when all else failed."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends.broadcasting import changes, is_rough


def propose(broken: Broken) -> Iterator[Edit]:
    """Of one operand."""
    for key, suffix in changes(broken):
        if is_rough(suffix, broken.call.shape(int(key) if key.isdigit() else -1, key) or ()):
            yield from broken.after(broken.place(-1, key), (suffix,))


MEND = Mend(frozenset({"broadcast-sizes"}), propose, last=True)
