"""A view of another number of elements, or of what does not lie in one piece."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import listed


def propose(broken: Broken) -> Iterator[Edit]:
    """`reshape` where the numbers are right; else one size left open, the last first."""
    shape, sizes = broken.call.shape(0, "input"), broken.call.numbers("shape", "size")
    if shape is None or not sizes:
        return
    has, nodes = math.prod(shape), listed(broken, "shape", "size")
    nodes = nodes if len(nodes) == len(sizes) else []
    if _fits(sizes, has):
        if isinstance(broken.node, ast.Call) and isinstance(broken.node.func, ast.Attribute):
            yield from broken.instead(broken.node.func, (f"{broken.alone(broken.node.func.value)}.reshape",))
        return
    if -1 not in sizes or sizes.count(-1) > 1:
        for number in range(len(nodes) - 1, -1, -1):
            if _fits([*sizes[:number], -1, *sizes[number + 1 :]], has):
                yield from broken.instead(nodes[number], ("-1",))
    yield from _open(broken, shape, sizes, nodes)
    x = broken.place(0, "input")
    if x is not None and len(sizes) == 2 < len(shape):
        yield from broken.instead(broken.node, (f"{broken.alone(x)}.flatten(1)",))
    if x is not None and len(sizes) > 2:
        yield from _unflattened(broken, x, shape, sizes, nodes)


def _open(broken: Broken, shape: tuple[int, ...], sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """What was open as long as the tensor has it there, and another size open."""
    x = broken.place(0, "input")
    for at in (place for place, size in enumerate(sizes[: len(shape)]) if size == -1 and x is not None):
        for number in range(len(nodes) - 1, -1, -1):
            new = [shape[at] if place == at else -1 if place == number else size for place, size in enumerate(sizes)]
            if number != at and x is not None and _fits(new, has := math.prod(shape)) and has:
                span, other = broken.source.span(nodes[at]), broken.source.span(nodes[number])
                text = f"{broken.alone(x)}.size({at})"
                yield Edit(
                    f"Leave dim {number} open in place of dim {at}",
                    broken.source.path,
                    ((span, text), (other, "-1")),
                )


def _unflattened(
    broken: Broken, x: ast.expr, shape: tuple[int, ...], sizes: list[int], nodes: list[ast.expr]
) -> Iterator[Edit]:
    """The last dim split in the way that is wanted, and the others as they are."""
    last = [
        number for number in range(len(sizes)) if math.prod(sizes[number:]) == shape[-1] and -1 not in sizes[number:]
    ]
    if last and nodes and 0 < last[-1] < len(sizes) - 1:
        parts = ", ".join(broken.text(node) for node in nodes[last[-1] :])
        yield from broken.instead(broken.node, (f"{broken.alone(x)}.unflatten(-1, ({parts}))",))


def _fits(sizes: list[int], has: int) -> bool:
    known = math.prod(size for size in sizes if size != -1)
    if any(size < -1 for size in sizes) or sizes.count(-1) > 1:
        return False
    return bool(known) and has % known == 0 if -1 in sizes else known == has


MEND = Mend(frozenset({"view-elements"}), propose)
