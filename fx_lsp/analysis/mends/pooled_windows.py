"""Sizes in space that do not fit, where something was pooled with a step of 1: a kernel with which they do.

self.pool = nn.AvgPool1d(24, stride=1)  # leaves one place fewer than the padding is made for
x - self.pool(padded)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._numbers import Follow, rewritten
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends.pools import pools

MAX_FOUND = 4


def propose(broken: Broken) -> Iterator[Edit]:
    """Larger by what is too much, smaller by what is missing; of either operand."""
    grown = [{other[back] - shape[dim] for dim, back in differ} for (_, shape), (_, other), differ in pairs(broken)]
    sizes = list(dict.fromkeys(one.pop() for one in grown if len(one) == 1))
    yield from islice(_fitted(broken, sizes), MAX_FOUND)


def _fitted(broken: Broken, sizes: list[int]) -> Iterator[Edit]:
    for source, call in pools(broken) if sizes else ():
        step = next((number(one.value) for one in call.keywords if one.arg == "stride"), None)
        kernel = _kernel(call)
        known = {*Follow(source, broken.files()).known(kernel)} if kernel is not None and step == 1 else ()
        for old, growth in ((old, growth) for old in sorted(known) for growth in sizes if old > growth):
            if isinstance(kernel, ast.Constant):
                text = str(old - growth)
                yield Edit(f"Use a kernel of {text}", source.path, _text.instead(source, kernel, text))
            elif kernel is not None:
                yield from rewritten(source, kernel, old, old - growth, broken.files())


def _kernel(call: ast.Call) -> ast.expr | None:
    named = next((one.value for one in call.keywords if one.arg == "kernel_size"), None)
    place = 1 if isinstance(call.func, ast.Attribute) and call.func.attr[:1].islower() else 0
    return named if named is not None else call.args[place] if len(call.args) > place else None


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes"}), propose)
