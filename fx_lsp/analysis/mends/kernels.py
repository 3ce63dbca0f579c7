"""A kernel that is larger than its input: a smaller one, or padding."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number

MAX_KERNELS = 4
_ONE = ([1], [1, 1], [1, 1, 1])


def propose(broken: Broken) -> Iterator[Edit]:
    """Padding for a layer that keeps the size; then each kernel that divides what there is."""
    shape, space = broken.call.shape(0, "input"), dims_of(broken.call.target)
    if not shape or not space or len(shape) <= space:
        return
    sizes = shape[len(shape) - space :]
    least = min(sizes)
    given = broken.place(1, "kernel_size")
    yield from (edit for text in _fitting(given, sizes) for edit in broken.instead(given, (text,)))
    if (kernel := number(given)) is not None:
        yield from broken.instead(given, (str(size) for size in _smaller(kernel, least)))
    for made in broken.made:
        written = made.argument("kernel_size")
        kernel = number(written)
        for text in _fitting(written, sizes):
            yield from made.changed("kernel_size", {"kernel_size": text})
        # A pooling takes steps as long as its kernel where it is told no other.
        keeps = "Conv" in broken.call.target or numbers(broken.call.settings.get("stride")) in _ONE
        covered = numbers(broken.call.settings.get("kernel_size")) or []
        if keeps and made.argument("padding") is None and covered and all(size % 2 for size in covered):
            if kernel is not None:
                yield from made.added(f"padding={kernel // 2}")
            elif isinstance(written, ast.Name):
                yield from made.added(f"padding={written.id} // 2")
        if kernel is None:
            continue
        for size in _smaller(kernel, least):
            yield from made.changed("kernel_size", {"kernel_size": str(size)})


def _fitting(written: ast.expr | None, sizes: Sequence[int]) -> Iterator[str]:
    """A kernel of several sizes, none of them larger than there is: `(4, 1)`."""
    parts = written.elts if isinstance(written, ast.Tuple | ast.List) else []
    known = [one for one in map(number, parts) if one is not None]
    if len(known) == len(parts) == len(sizes):
        yield f"({', '.join(str(min(size, most)) for size, most in zip(known, sizes, strict=True))})"


def _smaller(kernel: int, space: int) -> list[int]:
    return [size for size in range(min(kernel - 1, space), 0, -1) if space % size == 0][:MAX_KERNELS]


MEND = Mend(frozenset({"conv-kernel"}), propose)
