"""Sizes that do not fit, in a class that divides by a number which leaves a rest: another number of parts.

self.head_dim = config.hidden_size // config.num_heads  # 96 // 5
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import zip_longest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import last_bound
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._near import MAX_NEAR, near
from fx_lsp.analysis.mends._numbers import Follow, rewritten
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_KNOWN = 4
"""Pairs of what both sides of a division may be."""


def propose(broken: Broken) -> Iterator[Edit]:
    """In the class in which it fails, then in those that led there: the nearest number that divides, where it is
    written; then the whole as the nearest multiple."""
    ways: list[Iterator[Edit]] = []
    for source, part in _divisions(broken):
        follow = Follow(source, broken.files())
        whole, parts = (set(follow.known(side)) for side in (part.left, part.right))
        if not whole:
            ways += [_viewed(broken, source, part, count) for count in sorted(parts)]
        # A field has a default, and what it is given where one is made: only some of them leave a rest.
        known = [(size, count) for size in sorted(whole) for count in sorted(parts)]
        for size, count in known if len(known) <= MAX_KNOWN else ():
            if size > 0 and count > 1 and size % count:
                ways.append(_evened(broken, source, part, size, count))
    yield from (edit for turn in zip_longest(*ways) for edit in turn if edit is not None)


def _evened(broken: Broken, source: Source, part: ast.BinOp, size: int, count: int) -> Iterator[Edit]:
    for one in near(count, size)[:MAX_NEAR]:
        yield from rewritten(source, part.right, count, one, broken.files())
    yield from rewritten(source, part.left, size, round(size / count) * count or count, broken.files())


def _viewed(broken: Broken, source: Source, part: ast.BinOp, count: int) -> Iterator[Edit]:
    """A size that is known only as it runs, where the view that fails divides it: `x.view(b, h // patch, patch, c)`;
    also under a name, `each = channels // groups`."""
    shape = (broken.call.shape(0, "input") or ())[1:] if broken.cause == "view-elements" else ()
    sized = any(one is part or _is_bound(source, one, part) for one in walk(broken.node))
    inside = sized and count in (broken.call.numbers("shape", "size") or ())
    sizes = sorted({size for size in shape if size % count}) if inside and count > 1 else []
    for one in near(count, math.gcd(*sizes))[:MAX_NEAR] if sizes else ():
        yield from rewritten(source, part.right, count, one, broken.files()) if one > 1 else ()


def _is_bound(source: Source, node: ast.AST, part: ast.BinOp) -> bool:
    function = innermost(source, node) if isinstance(node, ast.Name) else None
    return isinstance(node, ast.Name) and function is not None and last_bound(function, node) is part


def _divisions(broken: Broken) -> Iterator[tuple[Source, ast.BinOp]]:
    seen: set[int] = set()
    for source, node in ((broken.source, broken.node), *broken.callers):
        owner = around(source, node)[0] or innermost(source, node)
        for part in walk(owner) if owner is not None and id(owner) not in seen else ():
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv | ast.Div | ast.Mod):
                yield source, part
        seen.add(id(owner))


_CAUSES = ("view-elements", "matmul-sizes", "broadcast-sizes", "einsum-sizes", "axes-pattern", "attention-sizes",
           "linear-features", "cat-sizes", "unflatten-sizes", "divided-dims", "expand-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
