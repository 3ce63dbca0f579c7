"""Sizes that do not fit, where an index gives something a dim of 1 at its beginning: at its end.

while emb.dim() < x.dim():
    emb = emb[None]  # meant is `emb[..., None]`: what is known of each sample is for all its places
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Where a variable is bound anew in the function that fails, the last one first."""
    function = innermost(broken.source, broken.node)
    bound = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Assign)
             and one.lineno <= broken.node.lineno]  # fmt: skip
    for one in sorted(bound, key=lambda one: -one.lineno):
        value = one.value
        if isinstance(value, ast.Subscript) and ast.unparse(value) == f"{ast.unparse(one.targets[0])}[None]":
            yield from broken.instead(value, (f"{broken.alone(value.value)}[..., None]",))


MEND = Mend(frozenset({"unpack-dims", "broadcast-sizes"}), propose)
