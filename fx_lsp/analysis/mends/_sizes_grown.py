"""How a size may be written that is more than what is written: a product or a sum with more in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import unpacked
from fx_lsp.analysis.mends._classes import defined
from fx_lsp.analysis.mends._parameters import NO_SIZES, PARAMETERS, SIZES, called
from fx_lsp.analysis.mends._reached import Files
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_PARTS = (2, 3)
MAX_FEW = 4
"""That a sum of sizes lacks, or has too much."""


def completed(source: Source, node: ast.expr, old: Any, size: int) -> Iterator[str]:
    """A product, to be so many times as large: with a factor more, that was unpacked beside one of it, else one again.

    Twice or three times as much is mostly meant for parts: queries and keys, means and deviations.

    `channels * height` times `width`, `channels * side` times `side`.
    """
    if type(old) is int and 0 < old < size:
        yield from _again(source, node, old, size)
    times = size // old if type(old) is int and 0 < old < size and size % old == 0 else 0
    function = innermost(source, node)
    if not times or function is None or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return
    names, text = {one.id for one in walk(node) if isinstance(one, ast.Name)}, _text.written(source, node)
    beside = [one for _, parts in unpacked(function) if names & {*parts} for one in parts if one not in names]
    yield from (f"{text} * {one}" for one in beside)
    if times in _PARTS and not beside:
        first = node.left.value if isinstance(node.left, ast.Constant) else None
        right = _text.alone(source, node.right)
        yield f"{times * first} * {right}" if type(first) is int else f"{times} * {text}"
    again = [one for one in (node.right, node.left) if isinstance(one, ast.Name | ast.Attribute)]
    yield from (f"{text} * {_text.written(source, one)}" for one in again if not beside)


def _again(source: Source, node: ast.expr, old: int, size: int) -> Iterator[str]:
    """A sum with one side twice or three times: `2 * n + 1` for `n + 1`."""
    for number, side in sides(node):
        value = old - number.value if isinstance(number, ast.Constant) and type(number.value) is int else 0
        times, rest = divmod(size - (old - value), value) if value > 0 else (0, 0)
        if times in _PARTS and not rest:
            yield f"{times} * {_text.alone(source, side)} + {_text.written(source, number)}"


def larger(source: Source, node: ast.expr) -> Iterator[str]:
    """Products and the like that a layer in the same function is made with, of what is written: `4 * n` for `n`."""
    own, function = ast.unparse(node), innermost(source, node)
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Call)]
    sizes = [one for call in inside if called(call) in PARAMETERS for one in given(call, True)]
    found = [one for one in sizes if isinstance(one, ast.BinOp) and isinstance(node, ast.Name | ast.Attribute)
             and own in map(ast.unparse, walk(one))]  # fmt: skip
    yield from dict.fromkeys(_text.written(source, one) for one in found)


def expanded(source: Source, node: ast.expr, files: Files) -> Iterator[str]:
    """Times a number that a class has which is made in the same function: `planes * Block.expansion` for `planes`."""
    function = innermost(source, node)
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Call)]
    for name in dict.fromkeys(called(one) for one in inside if isinstance(one.func, ast.Name)):
        found = defined(name, source, files)
        for part in found[1].body if found is not None else ():
            value = part.value if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name) else None
            if isinstance(part, ast.Assign) and isinstance(value, ast.Constant) and type(value.value) is int:
                yield f"{_text.alone(source, node)} * {name}.{ast.unparse(part.targets[0])}"


def sides(node: ast.expr) -> tuple[tuple[ast.expr, ast.expr], ...]:
    """Both sides of a sum, each with the other one; nothing of what is none."""
    plain = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    return ((node.right, node.left), (node.left, node.right)) if plain and isinstance(node, ast.BinOp) else ()


def given(call: ast.Call, sizes: bool) -> list[ast.expr]:
    """What may be a number of features, or what is none: of layers it is known, and of no other keyword."""
    names = PARAMETERS.get(called(call))
    if names is None:
        plain = [*call.args, *(one.value for one in call.keywords if one.arg not in NO_SIZES)]
        return plain if sizes else [one.value for one in call.keywords if one.arg in NO_SIZES]
    named = [*zip(names, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    return [node for name, node in named if (name in SIZES) == sizes]


def few(source: Source, node: ast.expr, old: object, size: int) -> list[str]:
    """A sum or the like with the few more that it lacks, or without those that it has too much."""
    if not isinstance(node, ast.BinOp) or type(old) is not int or not 0 < abs(size - old) <= MAX_FEW:
        return []
    return [f"{_text.written(source, node)} {'+' if size > old else '-'} {abs(size - old)}"]
