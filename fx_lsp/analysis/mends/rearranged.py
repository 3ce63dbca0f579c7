"""Sizes that do not fit, where something was rearranged by a pattern: two axes of the result swapped, or made one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._classes import earlier
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import Source

_ARROW = "->"
_PART = re.compile(r"\([^()]*\)|[^\s()]+")
_RANKS = ("einsum-sizes", "conv-dims", "recurrent-features", "axes-pattern")
"""Causes by which there may be a dim too much."""
_AXIS = re.compile(r"\b[A-Za-z_]\w*\b")
_PLACE = re.compile(rf"{_AXIS.pattern}|\.\.\.")
"""An axis, or all that have no name."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand that is written so, by itself or by its name; the last axes first."""
    for key in broken.written:
        operand = broken.place(-1, key)
        for one in operand.elts if isinstance(operand, ast.List | ast.Tuple) else [operand]:
            source, node = broken.origin(one)
            for pattern in _patterns(node):
                yield from _changed(broken.cause, source, pattern)
    for made in broken.made:
        for entry in (one for given in earlier(made.source, made.node) for one in reversed(given)):
            first = entry.args[0] if isinstance(entry, ast.Call) and entry.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and _ARROW in first.value:
                yield from _changed(broken.cause, made.source, first)


def _changed(cause: str, source: Source, pattern: ast.expr) -> Iterator[Edit]:
    raw = _text.written(source, pattern)
    head, arrow, made = raw.partition(_ARROW)
    axes = list(_PLACE.finditer(made)) if arrow else []
    dims = made.rstrip(raw[-1])
    merged = _merged(dims) if cause in _RANKS else ()
    for new in (*_turned(dims), *_regrouped(head, dims), *merged) if arrow else ():
        text = f"{head}{arrow} {new}{raw[len(raw.rstrip(raw[-1])) :]}"
        yield Edit(f"Rearrange to {_text.title(new)}", source.path, _text.instead(source, pattern, text))
    pairs = sorted(combinations(range(len(axes)), 2), reverse=True)
    beside = [pair for pair in pairs if pair[1] - pair[0] == 1 and "..." in (axes[pair[0]][0], axes[pair[1]][0])]
    for one, other in dict.fromkeys((*beside, *pairs)):
        left, right = axes[one], axes[other]
        between = made[left.end() : right.start()]
        new = f"{made[: left.start()]}{right[0]}{between}{left[0]}{made[right.end() :]}"
        title = f"Rearrange to {_text.title(new.strip().strip(raw[-1]))}"
        yield Edit(title, source.path, _text.instead(source, pattern, f"{head}{arrow}{new}"))


def _turned(made: str) -> Iterator[str]:
    """The last two dims in each other's place, where both are made of several axes."""
    parts = _PART.findall(made)
    if len(parts) > 2 and all(one.startswith("(") for one in parts[-2:]):
        yield " ".join([*parts[:-2], parts[-1], parts[-2]])


def _regrouped(given: str, made: str) -> Iterator[str]:
    """Of a batch and three axes, two of which become one: other two, in the order in which they are given."""
    names, parts = _AXIS.findall(given), _PART.findall(made)
    groups = [one for one in parts if one.startswith("(")]
    inside = _AXIS.findall(made)
    rest = [name for name in names if name in inside[1:]]
    if len(groups) != 1 or len(inside) != 4 or len(rest) != 3 or parts[0] != inside[0] or len(parts) != 3:
        return
    first, second, third = rest
    for one in (f"{second} ({first} {third})", f"{first} ({second} {third})", f"({first} {second}) {third}"):
        if f"{parts[0]} {one}" != " ".join(parts):
            yield f"{parts[0]} {one}"


def _merged(made: str) -> Iterator[str]:
    """The first two dims as one, as heads are part of a batch; then the others."""
    parts = _PART.findall(made)
    for place in range(len(parts) - 1):
        both = " ".join(part.strip("()") for part in parts[place : place + 2])
        yield " ".join([*parts[:place], f"({both})", *parts[place + 2 :]])


def _patterns(node: ast.expr | None) -> list[ast.expr]:
    """The pattern that a call is given, if it is one of these; of what `map` does with each."""
    if isinstance(node, ast.Call) and called(node) == "map" and node.args and isinstance(node.args[0], ast.Lambda):
        return _patterns(node.args[0].body)
    given = [*node.args[1:2], *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
    return [
        one for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str) and _ARROW in one.value
    ]


_CAUSES = ("broadcast-sizes", "linear-features", "conv-channels", "conv-dims", "norm-features", "recurrent-features",
           "matmul-sizes", "attention-sizes", "cat-sizes", "axes-pattern", "einsum-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
