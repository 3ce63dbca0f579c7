"""Sizes that do not fit, where the size of another tensor is asked for than is meant.

x = self.shorter(audio)
mask = torch.arange(audio.size(1)) >= lengths[:, None]  # meant is `x.size(1)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._asked import asked, subject_of
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import passed_to
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 6
MAX_NAMES = 3
"""In place of one."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each size that what fails was made with, the nearest first: that of another variable of the function."""
    yield from islice(_others(broken), MAX_FOUND)


def _others(broken: Broken) -> Iterator[Edit]:
    for source, node in asked(broken):
        name = subject_of(node)
        if not isinstance(name, ast.Name):
            continue
        for other in islice(_beside(source, name), MAX_NAMES):
            shown = _text.title(_text.written(source, node))
            title = f"Ask for the size of `{other}` in place of `{name.id}` in {shown}, line {node.lineno}"
            yield Edit(title, source.path, _text.instead(source, name, other))


def _beside(source: Source, name: ast.Name) -> Iterator[str]:
    """Other variables that calls and methods are given there, what was bound last first, then what it was given."""
    function = innermost(source, name)
    if function is None:
        return
    inside = [one for one in walk(function) if isinstance(one, ast.Name)]
    bound = [one for one in inside if isinstance(one.ctx, ast.Store) and one.lineno < name.lineno]
    names = [one.id for one in sorted(bound, key=lambda one: -one.lineno)] + passed_to(function)
    used = {part.id for one in walk(function) if isinstance(one, ast.Call) for part in _given(one)}
    yield from (one for one in dict.fromkeys(names) if one != name.id and one in used)


def _given(call: ast.Call) -> list[ast.Name]:
    """What a call is given as it is, or is a method of."""
    parts = [*call.args, call.func.value] if isinstance(call.func, ast.Attribute) else call.args
    return [one for one in parts if isinstance(one, ast.Name)]


_CAUSES = ("broadcast-sizes", "cat-sizes", "view-elements", "expand-sizes", "attention-sizes", "loss-sizes",
           "matmul-sizes", "assigned-sizes", "recurrent-state", "index-mask", "einsum-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
