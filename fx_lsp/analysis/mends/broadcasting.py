"""Sizes that cannot be broadcast: dims of 1 where they belong, or one of them turned."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._shapes import Change, Shape, broadcast, grown, moved, shrunk

_MOVES = (".squeeze", ".transpose", ".movedim", ".flatten")
_TURNS = (".transpose", ".movedim")
_TO_NUMBER = re.compile(r":\d")
_MAPS = 4
"""Dims of a batch of maps."""
_TABLE = 2
"""Dims of a table with a row for each place."""
MAX_OUTER = 8
"""So many times the numbers of the larger one."""
MAX_MORE = 4
"""A part of at most one in so many is cut off."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Each change of one operand with which all fit, the smallest result first."""
    shapes = shapes_of(broken)
    for key in shapes:
        yield from _replaced(broken, key, shapes)
        yield from _apart(broken, key, shapes)
    for key, suffix in changes(broken):
        if _grown(broken.place(-1, key)) is not None and suffix.startswith(_MOVES):
            continue  # one of 1 at another place, or none, is what is meant
        if is_rough(suffix, shapes[key]) or by_accident(suffix, key, shapes):
            continue
        if "[:" in suffix:
            yield from _sliced(broken, key, shapes)
        yield from broken.after(broken.place(-1, key), (suffix,))
    for key in shapes:
        yield from _filled(broken, key, shapes)


def changes(broken: Broken) -> Iterator[tuple[str, str]]:
    """An operand, and what is done to it."""
    shapes = shapes_of(broken)
    most = max(map(len, shapes.values()), default=0)
    largest = max(map(math.prod, shapes.values()), default=0)
    found: list[tuple[int, bool, bool, int, str, str]] = []
    for key, shape in shapes.items():
        others = [other for name, other in shapes.items() if name != key]
        for place, (suffix, new) in enumerate(_changes(shape, others)):
            together = broadcast(new, *others)
            # What is turned is to meet its like: each number with each other one is not what that is for.
            outer = suffix.startswith(_TURNS) and together is not None and math.prod(together) > MAX_OUTER * largest
            if together is not None and not outer:
                more = _cost(suffix, len(together) - most), math.prod(together) > largest
                found.append((*more, len(shape) == most, place, key, suffix))
    for *_, key, suffix in sorted(found, key=lambda one: one[:4]):
        yield key, _named(broken, key, suffix, shapes)


def by_accident(suffix: str, key: str, shapes: dict[str, Shape]) -> bool:
    """Whether a dim of 1 makes each of a batch meet each of another one, or features are cut: so it runs, and is rarely
    meant."""
    alike = any(len(one) == len(shapes[key]) for name, one in shapes.items() if name != key)
    return suffix.startswith((".unsqueeze", "[:, :, :")) and len(shapes[key]) > _TABLE and alike


def is_rough(suffix: str, shape: Shape) -> bool:
    """Whether it is a cut to a number, or of the first of several dims that are no features: it runs, and is rarely
    meant."""
    whole = suffix.startswith("[:") and "," not in suffix
    return _TO_NUMBER.search(suffix) is not None or (whole and len(shape) > _TABLE)


def shapes_of(broken: Broken) -> dict[str, Shape]:
    """Of the tensors that meet, by number or keyword."""
    given = [(str(key), one) for key, one in (*enumerate(broken.call.operands), *broken.call.named.items())]
    return {key: one.shape for key, one in given if one.shape is not None}


def _cost(suffix: str, more: int) -> int:
    """Dims that the result has more; what takes the dims of a tensor together that has more is rarely meant."""
    return more if not suffix.startswith(".flatten") else max(more, 0) + 1


def _replaced(broken: Broken, key: str, shapes: dict[str, Shape]) -> Iterator[Edit]:
    """The dim of 1 that it is given at another place, or not at all where it is too much."""
    node, shape = broken.place(-1, key), shapes[key]
    dim = _grown(node)
    if dim is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not shape:
        return
    dim %= len(shape)
    others = [other for name, other in shapes.items() if name != key]
    before, given = shape[:dim] + shape[dim + 1 :], broken.alone(node.func.value)
    if len(shape) > max(map(len, others), default=0):
        yield from broken.instead(node, (given,)) if broadcast(before, *others) is not None else ()
    for place in range(len(shape) - 1, -1, -1):
        if place != dim and broadcast((*before[:place], 1, *before[place:]), *others) is not None:
            text = "-1" if place == len(shape) - 1 else str(place)
            yield from broken.instead(node, (f"{given}.unsqueeze({text})",))


def _grown(node: ast.expr | None) -> int | None:
    """The dim of an `unsqueeze`."""
    given = isinstance(node, ast.Call) and called(node) == "unsqueeze" and len(node.args) == 1
    return number(node.args[0]) if given and isinstance(node, ast.Call) else None


def _named(broken: Broken, key: str, suffix: str, shapes: dict[str, Shape]) -> str:
    """A cut as long as the other operand is, by its name where it has one: `[:, :x.size(1)]`."""
    others = [(broken.place(-1, name), other) for name, other in shapes.items() if name != key]
    node, shape = others[0] if len(others) == 1 else (None, ())
    more = len(shape) - len(shapes[key])
    if not isinstance(node, ast.Name) or not suffix.startswith("[:") or more < 0:
        return suffix
    parts = suffix[1:-1].split(", ")
    texts = [f":{node.id}.size({dim + more})" if part != ":" else part for dim, part in enumerate(parts)]
    return f"[{', '.join(texts)}]" if "None" not in parts else suffix


def _apart(broken: Broken, key: str, shapes: dict[str, Shape]) -> Iterator[Edit]:
    """With the first dims of the other operand, which are one dim here."""
    shape = shapes[key]
    for name, other in shapes.items():
        node, count = broken.place(-1, name), len(other) - len(shape) + 1
        apart = (*other[:count], *shape[1:]) if count > 1 and shape[:1] == (math.prod(other[:count]),) else None
        if isinstance(node, ast.Name) and name != key and apart and broadcast(apart, other) is not None:
            yield from broken.after(broken.place(-1, key), (f".unflatten(0, {node.id}.shape[:{count}])",))


def _filled(broken: Broken, key: str, shapes: dict[str, Shape]) -> Iterator[Edit]:
    """An identity in the size of the other operand."""
    node = broken.place(-1, key)
    others = [(broken.place(-1, name), other) for name, other in shapes.items() if name != key]
    if isinstance(node, ast.Call) and called(node) == "eye" and len(node.args) == 1:
        for other, shape in others:
            if other is not None and len(shape) > 1 and shape[-1] == shape[-2]:
                yield from broken.instead(node.args[0], (f"{broken.alone(other)}.size(-1)",))


def _sliced(broken: Broken, key: str, shapes: dict[str, Shape]) -> Iterator[Edit]:
    """Cut in the first dim, which is one of 1, where the second was meant."""
    node, shape = broken.place(-1, key), shapes[key]
    others = [other for name, other in shapes.items() if name != key and len(other) == len(shape)]
    longer = len(shape) > 1 and shape[0] == 1 and any(1 < other[1] < shape[1] for other in others)
    if longer and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        yield from broken.instead(node.slice, (f":, {broken.text(node.slice)}",))


def _changes(shape: Shape, others: list[Shape]) -> Iterator[Change]:
    missing = max(map(len, others), default=0) - len(shape)
    for count in range(1, missing + 1):
        yield from grown(shape, count)
    # Channels that come last are moved as a whole: height and width keep their order.
    # Of three dims, too, the last is moved as a whole: the other two are often equal, and would be exchanged.
    first = ".movedim(-1, 0)" if len(shape) < _MAPS else ".movedim(-1, 1)"
    yield from sorted(moved(shape), key=lambda way: way[0] != first)
    yield from shrunk(shape) if missing < 0 else ()
    yield from grown(shape)
    if len(shape) > 1 and any(other[-1:] == (math.prod(shape),) for other in others):
        yield ".flatten()", (math.prod(shape),)
    yield from _cut(shape, others)
    for other in others if missing == 0 else ():
        yield from _trimmed(shape, other)


def _trimmed(shape: Shape, other: Shape) -> Iterator[Change]:
    """Without the few that are too many in one dim but the first."""
    differ = [dim for dim, size in enumerate(other) if 1 not in (size, shape[dim]) and size != shape[dim]]
    dim = differ[0] if len(differ) == 1 else 0
    if dim and MAX_MORE * (shape[dim] - other[dim]) <= shape[dim] > other[dim]:
        parts = [":"] * dim + [f":{other[dim]}"]
        yield f"[{', '.join(parts)}]", (*shape[:dim], other[dim], *shape[dim + 1 :])


def _cut(shape: Shape, others: list[Shape]) -> Iterator[Change]:
    """As long as another one: what is learned for each place may be for more places than there are."""
    for other in dict.fromkeys(one[-len(shape) :] for one in others if 1 < len(shape) < len(one)):
        if shape[0] > other[0] > 1 and shape[1:] == other[1:]:
            yield f"[:{other[0]}]", (other[0], *shape[1:])
    for other in dict.fromkeys(one for one in others if len(one) == len(shape)):
        longer = [dim for dim, size in enumerate(other) if 1 < size < shape[dim]]
        if shape[:1] != (1,) or not longer or any(size not in (1, shape[dim]) for dim, size in enumerate(other)
                                                  if dim not in longer and shape[dim] != 1):  # fmt: skip
            continue
        parts = [f":{other[dim]}" if dim in longer else ":" for dim in range(longer[-1] + 1)]
        new = tuple(other[dim] if dim in longer else size for dim, size in enumerate(shape))
        yield f"[{', '.join(parts)}]", new


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
