"""An id that an embedding has no row for: as many rows as are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the number of rows is written; ids that are less than 0 are another mistake."""
    rows, call = broken.call.shape(1, "weight"), broken.call
    smallest, largest = (call.plain(len(call.operands), name) for name in ("smallest", "largest"))
    if rows and type(smallest) is int and type(largest) is int and smallest >= 0 and largest >= rows[0]:
        for made in broken.made:
            yield from made.numbered("num_embeddings", largest + 1)


MEND = Mend(frozenset({"embedding-ids"}), propose)
