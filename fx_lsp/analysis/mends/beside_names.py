"""Sizes that do not fit, where an entry is taken of one variable, and that of another one beside it is meant.

laterals[i - 1] + F.interpolate(features[i], scale_factor=2.0)  # meant is `laterals[i]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each in the other's place, where no entry is then taken twice; the last one first."""
    taken = [one for one in walk(broken.node) if isinstance(one, ast.Subscript)
             and isinstance(one.value, ast.Name | ast.Attribute)]  # fmt: skip
    written = {ast.unparse(one) for one in taken}
    taken.sort(key=lambda one: (one.lineno, one.col_offset), reverse=True)
    for one in taken:
        for other in dict.fromkeys(ast.unparse(there.value) for there in taken):
            new = f"{other}[{ast.unparse(one.slice)}]"
            if other != ast.unparse(one.value) and new not in written:
                title = f"Use `{other}` in place of {_text.title(ast.unparse(one.value))}"
                yield Edit(title, broken.source.path, _text.instead(broken.source, one.value, other))


_CAUSES = ("broadcast-sizes", "matmul-sizes", "cat-sizes", "loss-sizes", "attention-sizes", "einsum-sizes")
MEND = Mend(frozenset(_CAUSES), propose)
