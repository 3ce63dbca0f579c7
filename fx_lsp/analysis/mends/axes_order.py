"""A pattern that names the axes in another order than the tensor has them: one of them moved to where it fits.

Rearrange("b (h p) (w q) c -> b (h w) (p q c)", p=16, q=16)  # of images f32[B, 3, 224, 224]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice, permutations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.axes_pattern import axes, misfit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import Source

MAX_ORDERS = 3


def propose(broken: Broken) -> Iterator[Edit]:
    """Of a function where it is called, of a layer where it is made; the first axis stays where it can."""
    shape = broken.call.shape(0, "tensor", "input")
    text = broken.call.settings.get("pattern", broken.call.plain(1, "pattern"))
    left, arrow, right = text.partition("->") if isinstance(text, str) else ("", "", "")
    found = axes(left)
    if not shape or not found or len(found) != len(shape) or misfit(broken.call, found, shape) is None:
        return
    fitting = (one for one in _moved(found) if misfit(broken.call, one, shape) is None)
    orders = [*islice(fitting, MAX_ORDERS)]
    for source, node in _written(broken, text):
        quote = _text.written(source, node)[-1:]
        for order in orders:
            new = f"{quote}{' '.join(order)} {arrow}{right}{quote}"
            yield Edit(f"Use {_text.title(new)}", source.path, _text.instead(source, node, new))


def _moved(found: list[str]) -> Iterator[list[str]]:
    """All orders in which one axis is elsewhere."""
    ways = [(old, new) for old, new in permutations(range(len(found)), 2) if abs(old - new) > 1 or old < new]
    for old, new in sorted(ways, key=lambda way: 0 in way):
        rest = [*found[:old], *found[old + 1 :]]
        yield [*rest[:new], found[old], *rest[new:]]


def _written(broken: Broken, text: object) -> Iterator[tuple[Source, ast.Constant]]:
    """The pattern, where it is written in the call itself."""
    places = [(broken.source, broken.place(1, "pattern"))]
    places += [(made.source, one) for made in broken.made for one in (*made.node.args[:1], made.argument("pattern"))]
    for source, node in places:
        if isinstance(node, ast.Constant) and node.value == text:
            yield source, node


MEND = Mend(frozenset({"axes-pattern"}), propose)
