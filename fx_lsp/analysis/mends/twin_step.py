"""Sizes that do not fit, where of several variables that are unpacked together one is changed and another one is not.

x, y = self.split(x)
x = x.transpose(1, 2)  # y, which meets it, stays as it was
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_MOVES = frozenset({"transpose", "permute", "movedim", "swapaxes", "unsqueeze", "squeeze", "flatten", "view", "reshape",
                    "unflatten", "expand", "repeat", "repeat_interleave", "rearrange", "pad"})  # fmt: skip


def propose(broken: Broken) -> Iterator[Edit]:
    """The same step for the other one, in the functions that led there, the innermost first."""
    for source, node in broken.places:
        function = innermost(source, node)
        inside = [one for one in walk(function) if isinstance(one, ast.Assign)] if function is not None else []
        for names, line in sorted(_together(inside), key=lambda one: -one[1]):
            steps = [one for one in inside if line < one.lineno < node.lineno and _own(one) in names]
            for step in steps:
                own = _own(step)
                for other in names:
                    if other != own and not any(_own(one) == other for one in steps):
                        yield _same(source, step, own, other)


def _together(statements: list[ast.Assign]) -> Iterator[tuple[list[str], int]]:
    """Names that one statement unpacks a value or several to, and its line."""
    for one in statements:
        target = one.targets[0]
        if isinstance(target, ast.Tuple) and all(isinstance(part, ast.Name) for part in target.elts):
            names = [part.id for part in target.elts if isinstance(part, ast.Name) and part.id != "_"]
            if len(names) > 1:
                yield names, one.end_lineno or one.lineno


def _own(statement: ast.Assign) -> str:
    """The variable that it makes of itself, and of no other one: `x = x.transpose(1, 2)`."""
    target = statement.targets[0]
    name = target.id if len(statement.targets) == 1 and isinstance(target, ast.Name) else ""
    value = statement.value
    moves = isinstance(value, ast.Subscript) or (isinstance(value, ast.Call) and called(value) in _MOVES)
    used = [one.id for one in walk(value) if isinstance(one, ast.Name)]
    return name if name and used.count(name) == 1 and moves else ""


def _same(source: Source, step: ast.Assign, own: str, other: str) -> Edit:
    text = re.sub(rf"\b{re.escape(own)}\b", other, _text.statement(source, step))
    return Edit(f"Insert {_text.title(text)}", source.path, _text.before(source, step, text))


_CAUSES = ("broadcast-sizes", "matmul-sizes", "attention-sizes", "cat-sizes", "einsum-sizes", "linear-features",
           "conv-channels", "norm-features", "loss-sizes", "recurrent-features")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
