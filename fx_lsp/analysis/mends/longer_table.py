"""A table that is made for fewer places than there are, by a whole factor: made for so many times as many.

Block(dim, context)  # has a mask of [context, context]; each step is three tokens, so meant is `3 * context`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice, zip_longest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._numbers import Follow
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk

MAX_PLACES = 4


def propose(broken: Broken) -> Iterator[Edit]:
    """Where a number is passed that a constructor makes a table of, the outermost place first."""
    factor = _factor(broken)
    seen: set[tuple[int, str]] = set()
    for step in path(broken) if factor else ():
        function = innermost(step.source, step.node)
        if not isinstance(step.node, ast.Call) or function is None or function.name != "__init__":
            continue
        sizes = [one for one in walk(step.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
        for size in (one for one in sizes if (id(function), one.id) not in seen):
            seen.add((id(function), size.id))
            for source, given in reversed([*islice(Follow(step.source, broken.files()).passed(size), MAX_PLACES)]):
                text = f"{factor} * {_text.alone(source, given)}"
                title = f"Use {_text.title(text)}, line {given.lineno}"
                yield Edit(title, source.path, _text.instead(source, given, text))


def _factor(broken: Broken) -> int:
    """How many times as long one operand is, in each dim in which they differ; 0 where that is no whole number."""
    shapes = [one.shape for one in broken.call.tensors[:2] if one.shape]
    both = zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1) if len(shapes) == 2 else ()
    factors = {max(pair) / min(pair) for pair in both if min(pair) > 1 and pair[0] != pair[1]}
    factor = factors.pop() if len(factors) == 1 else 0
    return int(factor) if factor == int(factor) else 0


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
