"""Sizes in space that are multiples of each other: a block of the model with another stride, as those beside it.

self.layer2 = Block(24, 48, stride=2)
self.layer3 = Block(48, 96, stride=1)  # meant is `stride=2`
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import walk

_NAMES = ("stride", "scale_factor", "downsample", "patch_size")
"""Keywords that say how much smaller or larger a map gets."""


def propose(broken: Broken) -> Iterator[Edit]:
    """In the classes that led there and those beside them: what others of the same kind have, then half and twice."""
    apart = [(shape[dim], wanted[back]) for (_, shape), (_, wanted), differ in pairs(broken)
             for dim, back in differ]  # fmt: skip
    if broken.cause in ("cat-sizes", "broadcast-sizes") and not any(
        max(one) % min(one) == 0 for one in apart if min(one) > 1
    ):
        return
    for source, owner in broken.classes:
        made = [one for one in walk(owner) if isinstance(one, ast.Call)]
        given = [(call, one) for call in made for one in call.keywords if one.arg in _NAMES and number(one.value)]
        for call, keyword in given:
            old = number(keyword.value) or 1
            beside = Counter(number(other.value) for one, other in given
                             if called(one) == called(call) and other.arg == keyword.arg)  # fmt: skip
            sizes = [size for size, _ in beside.most_common() if size is not None]
            for size in dict.fromkeys((*sizes, 2 * old, old // 2)):
                if size and size != old:
                    title = (
                        f"Change {keyword.arg} of {_text.title(called(call))} to `{size}`, line {keyword.value.lineno}"
                    )
                    yield Edit(title, source.path, _text.instead(source, keyword.value, str(size)))


MEND = Mend(frozenset({"cat-sizes", "broadcast-sizes", "linear-features", "loss-sizes"}), propose, guess=True)
