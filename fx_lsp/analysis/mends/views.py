"""A view of another number of elements, or of what does not lie in one piece."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._near import MAX_NEAR, near
from fx_lsp.analysis.mends._numbers import rewritten
from fx_lsp.analysis.mends._places import listed, number
from fx_lsp.analysis.mends._shapes import Shape


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
        for place in range(len(nodes) - 1, -1, -1):
            rest = math.prod(sizes[:place] + sizes[place + 1 :])
            # One that is 1 then is no size that anybody leaves open.
            if _fits([*sizes[:place], -1, *sizes[place + 1 :]], has) and (rest < has or sizes[place] == 1):
                yield from broken.instead(nodes[place], ("-1",))
    yield from _open(broken, shape, sizes, nodes)
    yield from _cut(broken, shape, sizes, nodes)
    x = broken.place(0, "input")
    if x is not None and len(sizes) == 2 < len(shape):
        yield from broken.instead(broken.node, (f"{broken.alone(x)}.flatten(1)",))
    yield from _numbers(broken, shape, sizes, nodes)
    yield from _elsewhere(broken, shape, sizes, nodes)
    if x is not None and len(sizes) > 2:
        yield from _unflattened(broken, x, shape, sizes, nodes)


def _numbers(broken: Broken, shape: Shape, sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """A number that is written, or one that is written for several dims, so that the first dim stays what it is."""
    if not shape or not shape[0] or sizes[:1] not in ([-1], [shape[0]]):
        return
    has, own = math.prod(shape[1:]), {place: size for place, size in enumerate(sizes) if place and size > 0}
    written = {place: one for place, node in enumerate(nodes) if place in own and (one := number(node)) is not None}
    places = [tuple(place for place, one in written.items() if one == size) for size in dict.fromkeys(written.values())]
    for changed in (*(one for one in places if len(one) > 1), *((place,) for place in reversed(written))):
        rest = math.prod(size for place, size in own.items() if place not in changed)
        new = round(math.pow(has / rest, 1 / len(changed)))
        if new and len(own) == len(sizes) - 1 and rest * math.pow(new, len(changed)) == has:
            changes = tuple((broken.source.span(nodes[place]), str(new)) for place in changed)
            yield Edit(f"Change {written[changed[0]]} to {new} in the view", broken.source.path, changes)


def _elsewhere(broken: Broken, shape: Shape, sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """A size that has a name, where its number is written."""
    has = math.prod(shape)
    for place in range(len(nodes) - 1, -1, -1):
        rest = math.prod(size for other, size in enumerate(sizes) if other != place)
        if sizes.count(-1) == 1 and sizes[place] > 1 and not isinstance(nodes[place], ast.Constant):
            # What is left open may be any number: one near to it that divides what there is.
            for size in near(sizes[place], has // -rest if has % rest == 0 else 0)[:MAX_NEAR]:
                yield from rewritten(broken.source, nodes[place], sizes[place], size, broken.files())
        if sizes[place] > 0 and rest > 0 and has % rest == 0 and not isinstance(nodes[place], ast.Constant):
            yield from rewritten(broken.source, nodes[place], sizes[place], has // rest, broken.files())
    texts = [broken.text(node) for node in nodes]
    for place in (one for one, text in enumerate(texts) if texts.count(text) > 1 and texts.index(text) == one):
        count, size = texts.count(texts[place]), sizes[place]
        rest = math.prod(other for other, text in zip(sizes, texts, strict=True) if text != texts[place])
        new = round((has / rest) ** (1 / count)) if rest > 0 and size > 0 else 0
        if new and new**count * rest == has and not isinstance(nodes[place], ast.Constant):
            yield from rewritten(broken.source, nodes[place], size, new, broken.files())


def _open(broken: Broken, shape: Shape, sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """What was open as long as the tensor has it there, and another size open."""
    x = broken.place(0, "input")
    for at in (place for place, size in enumerate(sizes[: len(shape)]) if size == -1 and x is not None):
        for left in range(len(nodes) - 1, -1, -1):
            new = [shape[at] if place == at else -1 if place == left else size for place, size in enumerate(sizes)]
            if left != at and x is not None and _fits(new, has := math.prod(shape)) and has:
                span, other = broken.source.span(nodes[at]), broken.source.span(nodes[left])
                text = f"{broken.alone(x)}.size({at})"
                yield Edit(
                    f"Leave dim {left} open in place of dim {at}",
                    broken.source.path,
                    ((span, text), (other, "-1")),
                )


def _cut(broken: Broken, shape: Shape, sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """As long as a size that has a name, in the one dim that is longer."""
    for dim, node in enumerate(nodes[: len(shape)]):
        size, fewer = sizes[dim], math.prod(shape) // max(shape[dim], 1) * sizes[dim]
        cut = 0 < size < shape[dim] and shape[:dim] == tuple(sizes[:dim]) and _fits(sizes, fewer)
        if isinstance(node, ast.Name) and cut:
            yield from broken.after(broken.place(0, "input"), (f"[{':, ' * dim}:{node.id}]",))


def _unflattened(broken: Broken, x: ast.expr, shape: Shape, sizes: list[int], nodes: list[ast.expr]) -> Iterator[Edit]:
    """The last dim split in the way that is wanted, and the others as they are."""
    last = [place for place in range(len(sizes)) if math.prod(sizes[place:]) == shape[-1] and -1 not in sizes[place:]]
    if last and nodes and 0 < last[-1] < len(sizes) - 1:
        parts = ", ".join(broken.text(node) for node in nodes[last[-1] :])
        yield from broken.instead(broken.node, (f"{broken.alone(x)}.unflatten(-1, ({parts}))",))


def _fits(sizes: list[int], has: int) -> bool:
    known = math.prod(size for size in sizes if size != -1)
    if any(size < -1 for size in sizes) or sizes.count(-1) > 1:
        return False
    return bool(known) and has % known == 0 if -1 in sizes else known == has


MEND = Mend(frozenset({"view-elements"}), propose)
