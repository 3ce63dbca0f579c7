"""A kernel that is larger than its input: a smaller one, or padding."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number

MAX_KERNELS = 4


def propose(broken: Broken) -> Iterator[Edit]:
    """Padding for a convolution that keeps its size; then each kernel that divides what there is."""
    shape, space = broken.call.shape(0, "input"), dims_of(broken.call.target)
    if not shape or not space or len(shape) <= space:
        return
    least = min(shape[len(shape) - space :])
    for made in broken.made:
        written = made.argument("kernel_size")
        kernel = number(written)
        if written is None or kernel is None:
            continue
        if "Conv" in broken.call.target and kernel % 2 and made.argument("padding") is None:
            yield from made.added(f"padding={kernel // 2}")
        sizes = [size for size in range(min(kernel - 1, least), 0, -1) if least % size == 0]
        for size in sizes[:MAX_KERNELS]:
            yield from made.changed("kernel_size", {"kernel_size": str(size)})


MEND = Mend(frozenset({"conv-kernel"}), propose)
