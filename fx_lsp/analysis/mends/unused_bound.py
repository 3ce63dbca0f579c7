"""Sizes or types that do not fit, where a variable that was bound before is read nowhere: in an operand's place.

expanded = index.unsqueeze(-1).expand_as(src)
return out.scatter_add(0, index, src)  # meant is `expanded`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.unused_passed import unused
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each of them, the last one first, for each operand."""
    function = innermost(broken.source, broken.node)
    if function is None:
        return
    stores = [one for one in walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    for name in reversed([one for one in unused(function) if not one.startswith("_")]):
        before = any(one.id == name and one.lineno < broken.node.lineno for one in stores)
        for node in broken.written.values() if before else ():
            yield from broken.instead(node, (name,))


_CAUSES = ("index-tensor", "index-dtype", "index-mask", "broadcast-sizes", "cat-sizes", "matmul-sizes",
           "attention-sizes", "einsum-sizes", "expand-sizes", "loss-sizes", "loss-dtypes", "linear-features",
           "conv-channels", "conv-dims", "norm-features", "mask-dtype", "mixed-dtypes",
           "recurrent-state", "recurrent-features", "tensor-expected")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True, sure=True)
