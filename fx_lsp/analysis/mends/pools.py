"""A linear layer gets more or fewer places than it is made for: the pooling before it with another kernel or output.

x = F.avg_pool2d(x, 4)  # leaves 2 by 2 places; meant is 8
self.fc(x.flatten(1))
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 4
_DIMS = {f"{kind}{name}{dims}d": dims for dims in (1, 2, 3) for kind, name in (
    ("Max", "Pool"), ("Avg", "Pool"), ("AdaptiveAvg", "Pool"), ("AdaptiveMax", "Pool"), ("max", "_pool"),
    ("avg", "_pool"), ("adaptive_avg", "_pool"), ("adaptive_max", "_pool"))}  # fmt: skip
"""Layers and functions, and over how many dims they pool."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each that is on the way, or made in the classes that led there or beside them."""
    shape, wanted = broken.call.shape(0, "input"), broken.call.settings.get("in_features")
    if not shape or not isinstance(wanted, int) or 0 in (wanted, shape[-1]):
        return
    yield from islice(_other(broken, shape[-1], wanted), MAX_FOUND)


def _other(broken: Broken, size: int, wanted: int) -> Iterator[Edit]:
    for source, call in pools(broken):
        dims, name = _DIMS[called(call)], called(call)
        more = math.pow(max(size, wanted) / min(size, wanted), 1 / dims)
        factor = round(more)
        if factor < 2 or max(size, wanted) != min(size, wanted) * factor**dims:
            continue
        adaptive = name.lower().startswith("adaptive")
        place = 1 if name[0].islower() and not _is_method(call) else 0
        node = call.args[place] if len(call.args) > place else None
        old = number(node)
        larger = (size > wanted) != adaptive
        if old is None or node is None or (not larger and old % factor):
            continue
        text = str(old * factor if larger else old // factor)
        title = f"Change {_text.title(_text.written(source, node))} of `{name}` to {_text.title(text)}"
        yield Edit(title, source.path, _text.instead(source, node, text))


def pools(broken: Broken) -> Iterator[tuple[Source, ast.Call]]:
    """Layers and functions that pool, on the way first, then in the classes that led there or beside them."""
    seen: set[int] = set()
    for step in path(broken):
        if isinstance(step.node, ast.Call) and called(step.node) in _DIMS:
            seen.add(id(step.node))
            yield step.source, step.node
    for source, owner in broken.classes:
        for one in walk(owner):
            if isinstance(one, ast.Call) and called(one) in _DIMS and id(one) not in seen:
                seen.add(id(one))
                yield source, one


def _is_method(call: ast.Call) -> bool:
    """Whether a layer of that name is called, or a method."""
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id == "self"


MEND = Mend(frozenset({"linear-features"}), propose)
