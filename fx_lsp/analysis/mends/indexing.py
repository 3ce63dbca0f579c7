"""An index out of range: the last one there, or without the part that is too much."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._shapes import Shape
from fx_lsp.analysis.mends.directions import both_ways

_RECURRENT = ("RNN", "LSTM", "GRU")


def propose(broken: Broken) -> Iterator[Edit]:
    """Part by part."""
    shape, node = broken.call.shape(0), broken.place(1)
    if shape is None or node is None or not isinstance(broken.node, ast.Subscript):
        return
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    taking = [part for part in parts if not (isinstance(part, ast.Constant) and part.value in (None, ...))]
    if len(taking) > len(shape):
        yield from _fewer(broken, parts, taking, len(shape))
        return
    yield from _more(broken, parts, shape)
    yield from _last(broken, parts, shape)
    yield from _elsewhere(broken, parts, shape)


def _fewer(broken: Broken, parts: list[ast.expr], taking: list[ast.expr], rank: int) -> Iterator[Edit]:
    """Without one part: a whole dim first, then a number; or of a tensor with a dim more."""
    spare = sorted(taking, key=lambda part: (not _whole(part), number(part) is None))
    for part in spare if len(taking) == rank + 1 and len(parts) > 1 else ():
        rest = [broken.text(one) for one in parts if one is not part]
        yield from broken.instead(broken.place(1), (", ".join(rest) or ":",))
    for count in (".unsqueeze(0)", ".unsqueeze(1)", ".unsqueeze(-1)"):
        yield from broken.after(broken.place(0), (count,) if len(taking) == rank + 1 else ())


def _more(broken: Broken, parts: list[ast.expr], shape: Shape) -> Iterator[Edit]:
    """Of the states of a recurrent layer: of both directions, or of so many layers."""
    at, node = number(parts[0]), broken.place(0)
    wanted = at + 1 if at is not None and at >= 0 else -(at or 0)
    if not shape or wanted <= shape[0] or not isinstance(node, ast.Name):
        return
    for origin in broken.origins(node):
        made = broken.making(origin)
        if origin.target.removesuffix("Cell") in _RECURRENT and wanted == 2 * shape[0]:
            yield from both_ways(made)


def _last(broken: Broken, parts: list[ast.expr], shape: Shape) -> Iterator[Edit]:
    dim = 0
    for place, part in enumerate(parts):
        if isinstance(part, ast.Constant) and part.value is ...:
            dim = len(shape) - sum(not _is_none(one) for one in parts[place + 1 :])
            continue
        if _is_none(part):
            continue
        at = number(part)
        if at is not None and 0 <= dim < len(shape) and shape[dim] and not -shape[dim] <= at < shape[dim]:
            yield from broken.instead(part, ("-1",) if at > 0 else ("0",))
        dim += 1


def _is_none(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is None


def _elsewhere(broken: Broken, parts: list[ast.expr], shape: Shape) -> Iterator[Edit]:
    """The number in another dim, where that is taken whole."""
    at = [place for place, part in enumerate(parts) if (number(part) or 0) > 0]
    for place in at if len(at) == 1 else ():
        for other, size in enumerate(shape):
            wanted = number(parts[place]) or 0
            whole = other >= len(parts) or _whole(parts[other])
            if other != place and size > wanted and whole:
                texts = [broken.text(part) for part in parts] + [":"] * (other + 1 - len(parts))
                texts[place], texts[other] = ":", texts[place]
                yield from broken.instead(broken.place(1), (", ".join(texts),))


def _whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and (part.lower, part.upper, part.step) == (None, None, None)


MEND = Mend(frozenset({"index-range"}), propose)
