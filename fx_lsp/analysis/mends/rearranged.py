"""Sizes that do not fit, where something was rearranged by a pattern: two axes of the result swapped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_ARROW = "->"
_AXIS = re.compile(r"\b[A-Za-z_]\w*\b")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand that is written so, by itself or by its name; the last axes first."""
    for key in broken.written:
        source, node = broken.origin(broken.place(-1, key))
        for pattern in _patterns(node):
            raw = _text.written(source, pattern)
            head, arrow, made = raw.partition(_ARROW)
            axes = list(_AXIS.finditer(made)) if arrow else []
            for one, other in sorted(combinations(range(len(axes)), 2), reverse=True):
                left, right = axes[one], axes[other]
                between = made[left.end() : right.start()]
                new = f"{made[: left.start()]}{right[0]}{between}{left[0]}{made[right.end() :]}"
                title = f"Rearrange to {_text.title(new.strip().strip(raw[-1]))}"
                yield Edit(title, source.path, _text.instead(source, pattern, f"{head}{arrow}{new}"))


def _patterns(node: ast.expr | None) -> list[ast.expr]:
    """The pattern that a call is given, if it is one of these."""
    given = [*node.args[1:2], *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
    return [
        one for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str) and _ARROW in one.value
    ]


_CAUSES = ("broadcast-sizes", "linear-features", "conv-channels", "conv-dims", "norm-features", "recurrent-features",
           "matmul-sizes", "attention-sizes", "cat-sizes", "axes-pattern")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
