"""Places with a dim more than the tensor that is filled: it is made with the last size of what it is filled with.

peak = torch.full((nodes,), 0.0)  # meant is `torch.full((nodes, src.size(-1)), 0.0)`
peak.scatter_reduce(0, index, src, "amax")
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.index_tensor import INTO
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called

_MAKERS = ("zeros", "ones", "full", "empty", "new_zeros", "new_ones", "new_full", "new_empty")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where its sizes are written."""
    x, index = broken.call.shape(0, "input"), broken.call.shape(2, "index")
    source, filled = broken.call.shape(3, "src", "source"), broken.place(3, "src", "source")
    target = broken.call.target.removesuffix("_")
    if target not in INTO or not x or not index or not source or len(x) + 1 != len(index) or len(source) != len(index):
        return
    home, made = broken.origin(broken.place(0, "input"))
    sizes = made.args[0] if isinstance(made, ast.Call) and called(made) in _MAKERS and made.args else None
    if filled is None or home is not broken.source or not isinstance(filled, ast.Name):
        return
    if isinstance(sizes, ast.Tuple | ast.List) and len(sizes.elts) == len(x):
        written = ", ".join(_text.written(home, one) for one in sizes.elts)
        text = f"({written}, {filled.id}.size(-1))"
        yield Edit(f"Make it with {_text.title(text)}", home.path, _text.instead(home, sizes, text))


MEND = Mend(frozenset({"index-tensor"}), propose)
