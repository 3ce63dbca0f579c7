"""Maps of convolutions with different kernels that are joined, where no padding makes them alike: one for each kernel.

[nn.Conv2d(3, 8, kernel, stride=stride) for kernel in kernels]  # meant is `padding=(kernel - stride) // 2`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends.padding_beside import convolutions


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the classes around make convolutions with a kernel that is a variable."""
    for source, owner in broken.owners:
        for made in convolutions(source, owner):
            kernel, stride = made.argument("kernel_size"), made.argument("stride")
            if isinstance(kernel, ast.Name) and made.argument("padding") is None:
                if isinstance(stride, ast.Name):
                    yield from made.added(f"padding=({kernel.id} - {stride.id}) // 2")
                yield from made.added(f"padding={kernel.id} // 2")


MEND = Mend(frozenset({"cat-sizes"}), propose)
