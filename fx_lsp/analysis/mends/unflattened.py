"""A dim that is split into sizes that are not all of it: one of them as large as it has to be.

x.unflatten(-1, (self.heads, -1))  # 16 features and 6 heads: 8 or 4 of them
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.unflatten_sizes import split
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._near import near
from fx_lsp.analysis.mends._numbers import rewritten

MAX_NUMBERS = 2


def propose(broken: Broken) -> Iterator[Edit]:
    """Each size left open, the last one first."""
    found, written = split(broken.call), broken.place(2, "sizes")
    if found is None:
        return
    _, has, sizes = found
    elements = written.elts if isinstance(written, ast.Tuple | ast.List) and len(written.elts) == len(sizes) else []
    for place in reversed(range(len(sizes))):
        others = math.prod(size for number, size in enumerate(sizes) if number != place)
        if others < 1 or has % others:
            continue
        if elements:
            yield from broken.instead(elements[place], ("-1",))
        open_sizes = [size if number != place else has // others for number, size in enumerate(sizes)]
        for made in broken.made:
            yield from made.changed("unflattened_size", {"unflattened_size": f"({', '.join(map(str, open_sizes))})"})
    for place, (node, size) in enumerate(zip(elements, sizes, strict=False)):
        whole = has // math.prod(one for number, one in enumerate(sizes) if number != place and one > 0)
        for new in near(size, whole)[:MAX_NUMBERS] if size > 1 and whole % size else ():
            yield from rewritten(broken.source, node, size, new, broken.files())


MEND = Mend(frozenset({"unflatten-sizes"}), propose)
