"""Parts that are not the whole of the dim that is split, of which the numbers are written somewhere: one of them.

BANDS = (8, 8, 16, 32, 64)  # 128 together, of a dim of 129; meant is 65
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.split_sizes import parts
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """By what is too few or too many, the last one first."""
    found = parts(broken.call)
    if found is None or len(found[2]) < 2:
        return
    _, whole, sizes = found
    for source in broken.sources:
        for written in (*source.every(ast.Tuple), *source.every(ast.List)):
            if [number(one) for one in written.elts] != sizes:
                continue
            for node, size in reversed([*zip(written.elts, sizes, strict=True)]):
                if (other := size + whole - sum(sizes)) > 0:
                    title = f"Change `{size}` to `{other}`, line {node.lineno}"
                    yield Edit(title, source.path, _text.instead(source, node, str(other)))


MEND = Mend(frozenset({"split-sizes"}), propose)
