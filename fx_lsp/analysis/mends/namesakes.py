"""Sizes that do not fit, where one of several variables was given that are called alike: `x2` for `x1`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import bound_before
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_NUMBERED = re.compile(r"(.*[^\d])(\d+)(_?)")
MAX_CALLS = 3
"""Of those that led there, innermost first."""


def propose(broken: Broken) -> Iterator[Edit]:
    """In the expression itself, then in the calls that led to it; the nearest number first."""
    places = [(broken.source, broken.node), *broken.callers[:MAX_CALLS]]
    for source, node in places:
        for name in (one for one in walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)):
            for other in _alike(source, name):
                title = f"Use `{other}` in place of `{name.id}`"
                yield Edit(title, source.path, _text.instead(source, name, other))


def _alike(source: Source, name: ast.Name) -> list[str]:
    """Names that differ in their number, and are bound before."""
    function, own = innermost(source, name), _NUMBERED.fullmatch(name.id)
    if function is None or own is None:
        return []
    found = [(abs(int(match[2]) - int(own[2])), one) for one in sorted(bound_before(function, name.lineno))
             if (match := _NUMBERED.fullmatch(one)) and match[1] == own[1] and one != name.id]  # fmt: skip
    return [one for _, one in sorted(found)]


MEND = Mend(
    frozenset({"conv-channels", "cat-sizes", "broadcast-sizes", "linear-features", "matmul-sizes", "norm-features"}),
    propose,
    guess=True,
)
