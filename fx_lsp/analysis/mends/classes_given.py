"""Features that do not fit, of a layer that takes as many as there are classes: its two sizes in each other's place.

self.classifier = nn.Linear(num_classes, width)  # gets `width` features
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_GIVEN = re.compile(r"class|vocab|label|^out|_out\b|output", re.IGNORECASE)
"""Names of what a model gives in the end."""


def propose(broken: Broken) -> Iterator[Edit]:
    """For the size that the layer gets, where that is what it was to give."""
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    name = next((one for one in ("in_features", "in_channels") if one in settings), None)
    if not shape or name is None:
        return
    channel = channel_dim(broken.call.operand(0, "input"), dims_of(broken.call.target))
    dim = -1 if name == "in_features" else 1 if channel is None else channel
    for made in broken.made:
        written = made.argument(name)
        if written is not None and -len(shape) <= dim < len(shape) and _GIVEN.search(ast.unparse(written)):
            yield from made.swapped(name, shape[dim])


MEND = Mend(frozenset({"linear-features", "conv-channels"}), propose, sure=True)
