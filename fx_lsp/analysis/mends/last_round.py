"""Sizes that do not fit, in a model whose constructor asks in a loop for a round that never comes: one too many.

for level, mult in enumerate(mults):
    if level != len(mults):  # meant is `len(mults) - 1`
        self.downs.append(Downsample(width))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import walk

_ASKS = (ast.Eq, ast.NotEq, ast.Lt, ast.GtE)


def propose(broken: Broken) -> Iterator[Edit]:
    """In the classes that led there."""
    for source, owner in broken.owners:
        for loop in walk(owner):
            count = _count(loop) if isinstance(loop, ast.For) else ""
            for test in walk(loop) if count else ():
                right = test.comparators[0] if isinstance(test, ast.Compare) and len(test.ops) == 1 else None
                if not isinstance(test, ast.Compare) or not isinstance(right, ast.Call):
                    continue
                if isinstance(test.ops[0], _ASKS) and ast.unparse(test.left) == count and _is_length(right):
                    new = f"{_text.written(source, right)} - 1"
                    title = f"Use {_text.title(new)}, line {right.lineno}"
                    yield Edit(title, source.path, _text.instead(source, right, new))


def _count(loop: ast.For) -> str:
    """The variable that holds the number of the round: of `range(len(x))` or `enumerate(x)`."""
    over, target = loop.iter, loop.target
    name = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else ""
    if name == "enumerate" and isinstance(target, ast.Tuple) and isinstance(over, ast.Call) and len(over.args) == 1:
        target = target.elts[0]
    elif name != "range":
        return ""
    return target.id if isinstance(target, ast.Name) else ""


def _is_length(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "len"


_CAUSES = ("broadcast-sizes", "cat-sizes", "conv-channels", "conv-kernel", "linear-features", "norm-features")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
