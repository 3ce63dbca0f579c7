"""A kernel with its dims in the order of TensorFlow, places, then channels: in that of PyTorch, channels, then places.

F.conv2d(x, kernel)  # kernel is f32[3, 3, 16, 32]; meant is `kernel.permute(3, 2, 0, 1)`
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the last but one dim is as large as the input has channels."""
    x, kernel = broken.call.shape(0, "input"), broken.call.shape(1, "weight")
    if x is None or kernel is None or broken.call.target.rpartition(".")[2] not in ("conv1d", "conv2d", "conv3d"):
        return
    dims = len(kernel) - 2
    channels = x[-dims - 1] if 0 < dims < len(x) else 0
    if dims > 0 and kernel[-2] == channels:
        order = (len(kernel) - 1, len(kernel) - 2, *range(dims))
        yield from broken.after(broken.place(1, "weight"), (f".permute({', '.join(map(str, order))})",))


MEND = Mend(frozenset({"conv-channels"}), propose)
