"""Sizes that do not fit, in a class with a layer or a function that has the batch in its second dim: in its first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._classes import defined
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import walk

MAX_CALLS = 4
_LAYERS = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention", "Transformer", "TransformerEncoderLayer",
                     "TransformerDecoderLayer"})  # fmt: skip
_PADDING = {"pad_packed_sequence": 1, "pad_sequence": 1, "pack_padded_sequence": 2}
"""Functions, and the place of their `batch_first`."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the class in which it fails, of those that led there, then of the others in their files."""
    whole = [(source, source.tree) for source, _ in broken.places if source.tree is not None]
    found: dict[int, Made] = {}
    for source, part in (*broken.owners, *whole):
        calls = [one for one in walk(part) if isinstance(one, ast.Call)]
        layers = [one for one in calls if called(one) in _LAYERS or len(one.args) <= _PADDING.get(called(one), -1)]
        # A class of the workspace may be called so, too.
        for call in (one for one in layers if defined(called(one), source, broken.files) is None):
            found.setdefault(id(call), Made(source, call, (), {}))
    fitting = (made for made in found.values() if made.argument("batch_first") is None)
    for made in islice(fitting, MAX_CALLS):
        yield from made.added("batch_first=True")


_CAUSES = ("attention-sizes", "recurrent-state", "broadcast-sizes", "matmul-sizes", "cat-sizes", "einsum-sizes",
           "loss-sizes", "linear-features", "index-range")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
