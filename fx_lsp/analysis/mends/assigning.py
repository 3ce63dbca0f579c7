"""A part of a tensor set to other sizes: the number of the index in the place of a dim that is taken whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.assigned_sizes import taken
from fx_lsp.analysis.causes.index_range import parts as numbered
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """Each other place for each number."""
    index = broken.place(1)
    parts = index.elts if isinstance(index, ast.Tuple) else []
    texts = [broken.text(part) for part in parts]
    if index is not None and not parts and not isinstance(index, ast.Slice | ast.Constant):
        yield from broken.instead(index, (f":, {broken.text(index)}",))
    if index is not None and number(index) is not None:
        yield from broken.instead(index, (f":, {broken.text(index)}",))
    if parts and texts[0] == ":":
        yield from broken.instead(index, (", ".join(texts[1:]),))
    for one in (place for place, part in enumerate(parts) if number(part) is not None):
        for other in (place for place, text in enumerate(texts) if text == ":"):
            new = list(texts)
            new[one], new[other] = new[other], new[one]
            yield from broken.instead(index, (", ".join(new),))
    yield from _last(broken)
    yield from _cut(broken)


def _cut(broken: Broken) -> Iterator[Edit]:
    """As much of what is set as there is room for, from the side that the slice is on: `row[-len(x):] = x[-n:]`."""
    given, node, index, target = broken.call.shape(2), _value(broken), broken.place(1), broken.node
    asked = broken.call.operand(1)
    room = taken(broken.call.shape(0) or (), numbered(asked.value) or []) if asked is not None else None
    if node is None or not room or not given or len(room) != len(given) or not isinstance(target, ast.Subscript):
        return
    parts = [*enumerate(index.elts if isinstance(index, ast.Tuple) else [index])]
    slices = [(place, one) for place, one in parts if isinstance(one, ast.Slice) and one.step is None]
    longer = [dim for dim, sizes in enumerate(zip(room, given, strict=True)) if sizes[0] < sizes[1]]
    if len(longer) != 1 or len(slices) != len(room):
        return
    place, part = slices[longer[0]]
    size = f"{broken.alone(target.value)}.shape[{place}]"
    cut = f":{size}" if part.lower is None else f"-{size}:" if part.upper is None else ""
    yield from broken.after(node, (f"[{':, ' * longer[0]}{cut}]",) if cut else ())


def _last(broken: Broken) -> Iterator[Edit]:
    """The last of several, or the first, where what is set has fewer dims than what it is set to."""
    wanted, given = broken.call.shape(0), broken.call.shape(2)
    node = _value(broken)
    if node is not None and wanted and given and len(given) > 1 and wanted[-len(given) + 1 :] == given[1:]:
        yield from broken.after(node, ("[-1]", "[0]"))


def _value(broken: Broken) -> ast.expr | None:
    """What is set there."""
    for one in broken.source.every(ast.Assign):
        if broken.node in one.targets:
            return one.value
    return None


MEND = Mend(frozenset({"assigned-sizes"}), propose)
