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


def propose(broken: Broken) -> Iterator[Edit]:
    """In the function that fails, the last one first."""
    function = innermost(broken.source, broken.node)
    taken = [one for one in (ast.walk(function) if function is not None else ()) if isinstance(one, ast.Subscript)
             and isinstance(one.slice, ast.Constant) and one.slice.value is None
             and one.lineno <= broken.node.lineno]  # fmt: skip
    for one in sorted(taken, key=lambda one: -one.lineno):
        yield from broken.instead(one, (f"{broken.alone(one.value)}[..., None]",))


MEND = Mend(frozenset({"unpack-dims", "broadcast-sizes"}), propose)
