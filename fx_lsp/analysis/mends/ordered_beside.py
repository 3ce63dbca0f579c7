"""Sizes that do not fit, where a variable is made as another one is but for the order of what a call gets: in that one.

k = k.view(b, t, heads, dim // heads).transpose(1, 2)
v = v.view(b, t, dim // heads, heads).transpose(1, 2)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import attribute
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost

MAX_CALLERS = 2


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each variable in the expression that fails, or in those that led to it, each assignment before."""
    for source, node in broken.places[: MAX_CALLERS + 1]:
        function = innermost(source, node)
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        made = [(target.id, one.value) for one in (ast.walk(function) if function is not None else ())
                if isinstance(one, ast.Assign) and isinstance(target := one.targets[0], ast.Name)]  # fmt: skip
        for name, own in made:
            for _, other in made if name in names and own.lineno <= node.lineno else ():
                moved = _moved(own, other)
                if moved is not None:
                    texts = [_text.written(source, one) for one in moved[1].args]
                    pairs = zip(moved[0].args, texts, strict=True)
                    changes = tuple(part for one, text in pairs for part in _text.instead(source, one, text))
                    shown = _text.title(f"{called(moved[0])}({', '.join(texts)})")
                    yield Edit(f"Use {shown}, line {own.lineno}", source.path, changes)


def _moved(own: ast.expr, other: ast.expr) -> tuple[ast.Call, ast.Call] | None:
    """The one call of several that is given the same in another order, where all are of the same methods."""
    ours, theirs = _calls(own), _calls(other)
    if [called(one) for one in ours] != [called(one) for one in theirs]:
        return None
    differ = [pair for pair in zip(ours, theirs, strict=True) if _given(pair[0]) != _given(pair[1])]
    moved = len(differ) == 1 and sorted(_given(differ[0][0])) == sorted(_given(differ[0][1]))
    return differ[0] if moved and len(differ[0][0].args) == len(differ[0][1].args) else None


def _calls(node: ast.expr) -> list[ast.Call]:
    """The methods of a chain, the last one first; a layer is no method."""
    found: list[ast.Call] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and attribute(node.func) is None:
        found.append(node)
        node = node.func.value
    return found


def _given(call: ast.Call) -> list[str]:
    return [ast.unparse(one) for one in (*call.args, *call.keywords)]


_CAUSES = ("broadcast-sizes", "matmul-sizes", "attention-sizes", "cat-sizes", "einsum-sizes", "linear-features",
           "view-elements", "conv-channels", "norm-features")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
