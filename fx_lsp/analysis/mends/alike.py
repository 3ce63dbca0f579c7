"""A sum of sizes that does not fit, of two that are joined and made alike: one made as wide as the other.

self.place = nn.Parameter(torch.randn(steps, dim))  # meant is `dim // 2`
self.name = nn.Parameter(torch.randn(names, dim // 2))
torch.cat([self.place[i], self.name[j]], dim=-1).view(-1, dim)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER, Origin
from fx_lsp.analysis.mends._otherwise import JOINED
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._produced import Place
from fx_lsp.analysis.source import Source


@dataclass(frozen=True)
class _Width:
    """What is written for the last size of what made an operand."""

    source: Source
    node: ast.expr
    target: str


def propose(broken: Broken) -> Iterator[Edit]:
    """Of all that is joined on the way."""
    for step in path(broken):
        if not isinstance(step.node, ast.Call) or called(step.node) not in JOINED or not step.node.args:
            continue
        joined = step.node.args[0]
        parts = joined.elts if isinstance(joined, ast.List | ast.Tuple) else []
        widths = [next(_widths(broken, step, one), None) for one in parts]
        for one, other in permutations([width for width in widths if width is not None], 2):
            text = _text.written(other.source, other.node)
            if one.target == other.target and text != _text.written(one.source, one.node):
                title = f"Use {_text.title(text)} in place of {_text.title(_text.written(one.source, one.node))}"
                edit = _text.instead(one.source, one.node, text)
                yield Edit(f"{title}, line {one.node.lineno}", one.source.path, edit)


def _widths(broken: Broken, step: Step, part: ast.expr) -> Iterator[_Width]:
    for origin in Place(step.source, step.callers, files=step.files).origins(part):
        if (node := _last(broken, origin)) is not None:
            yield _Width(origin.source, node, origin.target)


def _last(broken: Broken, origin: Origin) -> ast.expr | None:
    if origin.target == PARAMETER:
        return origin.node.args[-1] if origin.node.args else None
    return broken.making(origin).argument(origin.output(-1))


_CAUSES = ("view-elements", "linear-features", "conv-channels", "norm-features", "recurrent-features", "split-sizes",
           "divided-dims", "unflatten-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
