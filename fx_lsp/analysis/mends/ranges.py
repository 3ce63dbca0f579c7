"""A dim that is not there: the last one, the one before, or those that there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes.dim_range import DIMS, FIRST, subject
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import listed, number
from fx_lsp.analysis.mends._shapes import MAX_DIMS


def propose(broken: Broken) -> Iterator[Edit]:
    """All dims one less; each that is out of range as the last; the tensor with a dim more."""
    tensor = subject(broken.call)
    shape = tensor.shape if tensor is not None else None
    if not shape or len(shape) > MAX_DIMS:
        return
    rank = len(shape)
    if broken.call.target == "t":
        x = broken.place(0, "input")
        dims = ("-2, -1", "0, 1")
        inside = isinstance(broken.node, ast.Call) and isinstance(broken.node.func, ast.Attribute)
        yield from (
            broken.instead(broken.node, (f"{broken.alone(x)}.transpose({one})" for one in dims)) if inside and x else ()
        )
        return
    if broken.call.target == "permute":
        yield from _order(broken, rank)
        return
    nodes = [node for node in _nodes(broken) if number(node) is not None]
    dims = [number(node) or 0 for node in nodes]
    beyond = max((dim - rank + 1 for dim in dims), default=0)
    if beyond > 0 and len(dims) > 1 and all(dim - beyond >= 0 for dim in dims) and len(set(dims)) == len(dims):
        changes = [(broken.source.span(node), str(dim - beyond)) for node, dim in zip(nodes, dims, strict=True)]
        yield Edit(f"Count the dims from {min(dims) - beyond}", broken.source.path, tuple(changes))
    for node, dim in zip(nodes, dims, strict=True):
        if not -rank <= dim < rank:
            places = ["-1", *map(str, range(rank - 2, -1, -1))] if dim > 0 else ["0", *map(str, range(1 - rank, 0))]
            taken = {one % rank for one in dims if one != dim and -rank <= one < rank}
            yield from broken.instead(node, [one for one in places if int(one) % rank not in taken or len(dims) == 1])
    for name in DIMS:
        dim = broken.call.settings.get(name)
        for made in broken.made if isinstance(dim, int) and not -rank <= dim < rank else ():
            yield from made.changed(name, {name: "-1"})
    if tensor is broken.call.operand(0, "input"):
        yield from broken.after(broken.place(0, "input"), (".unsqueeze(0)", ".unsqueeze(1)"))


def _nodes(broken: Broken) -> Iterator[ast.expr]:
    """What is written for the dims."""
    places = FIRST.get(broken.call.target, (1,))
    given = [*(broken.place(place) for place in places), *(broken.place(-1, name) for name in DIMS)]
    for node in given:
        yield from node.elts if isinstance(node, ast.Tuple | ast.List) else [node] if node is not None else []


def _order(broken: Broken, rank: int) -> Iterator[Edit]:
    """All dims, in the order in which those that are given stand."""
    given = broken.call.operands[1:] or [one for name in DIMS if (one := broken.call.named.get(name)) is not None]
    dims = [dim for one in given for dim in numbers(one.plain) or ()]
    nodes = listed(broken, *DIMS)
    if not nodes or len(nodes) != len(dims):
        return
    plain = [dim % rank if -rank <= dim < rank else dim for dim in dims]
    present = list(dict.fromkeys(dim for dim in plain if dim < rank))
    missing = [dim for dim in range(rank) if dim not in present]
    orders = [[*present, *missing]]
    if len(dims) > rank:
        ranked = sorted(dims)
        orders = [[ranked.index(dim) - 1 for dim in dims if ranked.index(dim)], present]
    if len(missing) == 1:
        orders += [[*present[:place], *missing, *present[place:]] for place in range(len(present))]
    if len(dims) == rank and missing:
        holes = [place for place, dim in enumerate(plain) if dim >= rank or dim in plain[:place]]
        filled = dict(zip(holes, missing, strict=False))
        orders.insert(0, [filled.get(place, dim) for place, dim in enumerate(plain)])
    if len(dims) < rank:
        more = rank - len(dims)
        orders.insert(1, [*range(more), *(dim + more for dim in plain)])
    first, last = broken.source.span(nodes[0]), broken.source.span(nodes[-1])
    whole = type(first)(first.path, first.line, first.column, last.end_line, last.end_column)
    for order in orders:
        if sorted(order) == list(range(rank)):
            text = ", ".join(map(str, order))
            yield Edit(f"Permute to ({text})", broken.source.path, ((whole, text),))


MEND = Mend(frozenset({"dim-range"}), propose)
