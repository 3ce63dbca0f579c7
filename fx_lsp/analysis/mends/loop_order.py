"""Sizes that do not fit, where a loop passes its two variables in the other order than it has them: exchanged.

self.downs = nn.ModuleList(Down(b, a) for a, b in zip(widths, widths[1:]))  # meant is `Down(a, b)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In the classes that led there, the innermost first."""
    for source, owner in broken.owners:
        for one in walk(owner):
            loops = [one] if isinstance(one, ast.For) else getattr(one, "generators", [])
            bodies = one.body if isinstance(one, ast.For) else [getattr(one, "elt", None)]
            names = [part.id for loop in loops for part in walk(loop.target) if isinstance(part, ast.Name)]
            inside = [part for body in bodies if body is not None for part in walk(body)]
            for call in (part for part in inside if isinstance(part, ast.Call)):
                for first, second in pairwise(call.args):
                    if not isinstance(first, ast.Name) or not isinstance(second, ast.Name):
                        continue
                    if (second.id, first.id) in pairwise(names):
                        spans = [source.span(first), source.span(second)]
                        title = f"Exchange `{first.id}` and `{second.id}`, line {first.lineno}"
                        yield Edit(title, source.path, tuple(zip(spans, [second.id, first.id], strict=True)))


_CAUSES = ("norm-features", "conv-channels", "linear-features", "cat-sizes", "broadcast-sizes", "recurrent-features")
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
