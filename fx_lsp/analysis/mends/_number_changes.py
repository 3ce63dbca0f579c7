"""Small changes of a number: one more or less, so many times as many, without what is added or multiplied."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.source import Source, walk

Change = tuple[ast.expr | ast.keyword, str]
"""What is written, and what may be in its place."""
Weighed = Iterator[tuple[float, str, Change]]
"""With how unlikely it is, from 1 on, and what it changes: the `order` or the number (`rank`) of dims, a size by `one`
or so many `times`, or something else."""
FACTORS = frozenset({2, 3, 4})
"""How many times a size may be meant."""
_SIDES: dict[type[ast.operator], tuple[float, ...]] = {
    ast.Add: (1.5, 1.8), ast.Sub: (1.5,), ast.Mult: (1.5, 1.8), ast.FloorDiv: (1.5,),
}  # fmt: skip
"""Which sides may be meant alone: the left one, the right one."""
_ALONE = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)


def number_changes(
    source: Source, node: ast.expr, apart: tuple[set[int], set[int]], tight: bool, variables: Collection[str]
) -> Weighed:
    """Of a number, as far as the text tells that it is one.

    `apart`: by how much the sizes of what failed differ, and how many times one is the other; `tight`: it stands beside
    an operator, so that one of its own needs parentheses.
    """
    if isinstance(node, ast.BinOp):
        yield from _parts(source, node, tight)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield from _constant(source, node, node.value, apart)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in variables:
        ways = [(2.0, "times", way) for factor in sorted(apart[1] & FACTORS)
                for way in (f"{factor} * {node.id}", f"{node.id} // {factor}")]  # fmt: skip
        ways += [(1.9, "one", f"{node.id} {sign} 1") for sign in "+-"] if 1 in apart[0] else []
        yield from ((cost, kind, (node, f"({way})" if tight else way)) for cost, kind, way in ways)


def _parts(source: Source, node: ast.BinOp, tight: bool) -> Weighed:
    """Divided to a whole number, made one, or one side alone."""
    text = _text.written(source, node)
    left, right = _text.written(source, node.left), _text.written(source, node.right)
    if isinstance(node.op, ast.Div) and "#" not in text:
        head = text.index(left) + len(left)
        end = text.rindex(right)
        yield 1.0, "", (node, f"{text[:head]}{text[head:end].replace('/', '//', 1)}{text[end:]}")
    elif isinstance(node.op, ast.Mult) and any(isinstance(getattr(one, "value", None), float) for one in walk(node)):
        yield 1.2, "", (node, f"int({text})")
    sides = _SIDES.get(type(node.op), ())
    kind = "one" if isinstance(node.op, ast.Add | ast.Sub) else "times"
    for cost, side, way in zip(sides, (node.left, node.right), (left, right), strict=False):
        yield cost, kind, (node, f"({way})" if tight and not isinstance(side, _ALONE) else way)


def _constant(source: Source, node: ast.expr, number: int, apart: tuple[set[int], set[int]]) -> Weighed:
    if _text.written(source, node) != str(number):  # `0x10`, `1_000`
        return
    near = 1.4 if 1 in apart[0] or number in (0, 1, 2) else 2.0
    found = {str(one): (near, "one") for one in (number + 1, number - 1) if one >= 0}
    for factor in sorted(apart[1] & FACTORS) or [2]:
        found.setdefault(str(number * factor), (1.7, "times"))
        if number and number % factor == 0:
            found.setdefault(str(number // factor), (1.7, "times"))
    yield from ((cost, kind, (node, text)) for text, (cost, kind) in found.items() if text != str(number))
