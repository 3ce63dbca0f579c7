"""Parts that are not the whole of the dim that is split: along the dim of which they are.

past, future = x.split([60, 12])  # of f32[8, 72, 3]; meant is `dim=1`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.split_sizes import parts
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_PLACE = 2
"""Of the dim, after the tensor and the sizes."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Each dim that is as large as all parts together."""
    shape, found, node = broken.call.shape(0, "input", "tensor"), parts(broken.call), broken.node
    if shape is None or found is None or not isinstance(node, ast.Call):
        return
    written = broken.place(_PLACE, "dim")
    for dim in (dim for dim, size in enumerate(shape) if size == sum(found[2])):
        shown = -1 if dim == len(shape) - 1 else dim
        if written is not None:
            yield from broken.instead(written, (str(shown),))
        elif (changes := _text.added(broken.source, node, f"dim={shown}")) is not None:
            yield Edit(f"Split along `dim={shown}`", broken.source.path, changes)


MEND = Mend(frozenset({"split-sizes"}), propose)
