"""Tensors joined of which one has a batch that goes into the other's, which holds several rows for each: so many rows.

keys = torch.cat((first, keys), dim=1)  # keys has a row for each place of each sample, first one for each sample
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs


def propose(broken: Broken) -> Iterator[Edit]:
    """Each row as often as it is needed, in its order."""
    for (node, shape), (other, there), differ in pairs(broken):
        if (
            isinstance(node, ast.Name | ast.Call)
            and len(shape) == len(there)
            and [one for one, _ in differ] == [-len(shape)]
        ):
            many = there[0] > shape[0] > 1 and there[0] % shape[0] == 0
            rows = f"{_rows(broken, other)}.size(0) // {_rows(broken, node)}.size(0)" if other is not None else ""
            count = rows or str(there[0] // shape[0])
            yield from broken.after(node, (f".repeat_interleave({count}, dim=0)",)) if many else ()


def _rows(broken: Broken, node: ast.expr) -> str:
    """What has as many rows: the variable that a layer is given, which need not run again to be counted."""
    given = node.args if isinstance(node, ast.Call) and not node.keywords else []
    return given[0].id if len(given) == 1 and isinstance(given[0], ast.Name) else broken.alone(node)


MEND = Mend(frozenset({"cat-sizes"}), propose)
