"""Sizes that cannot be broadcast, where one goes into the other: repeated as often, when all else failed."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """In the one dim in which they differ."""
    given = [(str(key), one.shape) for key, one in (*enumerate(broken.call.operands), *broken.call.named.items())]
    for key, shape in given:
        for name, other in given:
            if name == key or shape is None or other is None or len(other) != len(shape):
                continue
            differ = [dim for dim, size in enumerate(other) if 1 not in (size, shape[dim]) and size != shape[dim]]
            if len(differ) == 1 and shape[differ[0]] and other[differ[0]] % shape[differ[0]] == 0:
                dim, count = differ[0], other[differ[0]] // shape[differ[0]]
                times = ", ".join(str(count if one == dim else 1) for one in range(len(shape)))
                yield from broken.after(broken.place(-1, key), (f".repeat({times})",))


MEND = Mend(frozenset({"broadcast-sizes"}), propose, last=True)
