"""Expanding what is not 1: dims of 1 where they belong, or a size left as it is."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import listed
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, shrunk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each change of the tensor with which it fits; then of one size."""
    shape, sizes = broken.call.shape(0, "input"), broken.call.numbers("size", "sizes")
    if shape is None or not sizes:
        return
    x = broken.place(0, "input")
    for changes in (grown(shape), moved(shape)):
        yield from broken.after(x, (suffix for suffix, new in changes if _fit(new, sizes)))
    nodes = listed(broken, "size", "sizes")
    for number, node in enumerate(nodes) if len(nodes) == len(sizes) else ():
        if _fit(shape, [*sizes[:number], -1, *sizes[number + 1 :]]):
            yield from broken.instead(node, ("-1",))
    squeezed = (suffix for suffix, new in shrunk(shape) if "squeeze" in suffix and _fit(new, sizes))
    yield from broken.after(x, squeezed)


def _fit(shape: Shape, sizes: list[int]) -> bool:
    if len(sizes) < len(shape) or -1 in sizes[: len(sizes) - len(shape)]:
        return False
    return all(has == 1 or wanted in (-1, has) for has, wanted in zip(shape[::-1], sizes[::-1], strict=False))


MEND = Mend(frozenset({"expand-sizes"}), propose)
