"""How a size may be written at a place: as the layers next to it write theirs, or as a number."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._fields import whole
from fx_lsp.analysis.mends._parameters import PARAMETERS, arguments, called
from fx_lsp.analysis.mends._sizes_grown import given, sides
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_NEARBY = 3
"""Expressions of which the value is not known."""
MAX_SIZE = 2**40
MAX_FACTOR = 8
"""By which a size that is known may be multiplied or divided."""
_NAME = re.compile(r"\b[a-zA-Z_][\w.]*")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Pow)


def likely(source: Source, call: ast.Call, node: ast.expr, size: int, known: Mapping[str, int]) -> Iterator[str]:
    """What has this size as far as is known, and the parameters that nothing uses."""
    if not _named(node):
        yield from _sides_of_maps(node, size)
        yield str(size)
        return
    near = _candidates(source, call, node, known)
    yield from (text for text, value in near.items() if value == size)
    yield from _constants(source, node, size)
    yield from _unused(source, call)


def _sides_of_maps(node: ast.expr, size: int) -> Iterator[str]:
    """`256 * 7 * 7` for `256 * 6 * 6`."""
    parts = [part.strip() for part in ast.unparse(node).split("*")] if isinstance(node, ast.BinOp) else []
    if len(parts) == 3 and parts[1] == parts[2] and all(part.isdecimal() for part in parts) and int(parts[0]) > 0:
        side = math.isqrt(size // int(parts[0]))
        if side and int(parts[0]) * side * side == size:
            yield f"{parts[0]} * {side} * {side}"


def _constants(source: Source, node: ast.expr, size: int) -> Iterator[str]:
    """With a number of the whole file in place of what is written, or of one side of a sum, where that is the size."""
    known = {name: one.value for name in source.bindings for one in whole(source, name)
             if isinstance(one, ast.Constant) and type(one.value) is int}  # fmt: skip
    if not known:
        return
    yield from (name for name, value in known.items() if value == size and name != ast.unparse(node))
    for side, other in sides(node):
        rest = _value(other, known)
        for name in (name for name, value in known.items() if rest is not None and value == size - rest):
            parts = [name, _text.written(source, other)]
            yield " + ".join(parts if isinstance(node, ast.BinOp) and side is node.left else parts[::-1])


def possible(source: Source, call: ast.Call, node: ast.expr, known: Mapping[str, int]) -> Iterator[str]:
    """What may have this size, as far as is known: first what is written for it in like calls, or in a like way."""
    if _named(node):
        near = [text for text, value in _candidates(source, call, node, known).items() if value is None]
        same, way = _in_like_calls(source, call, node), _way(node)
        near.sort(key=lambda text: (text not in same, not way or _way_of(text) != way))
        yield from near[:MAX_NEARBY]


def _in_like_calls(source: Source, call: ast.Call, node: ast.expr) -> set[str]:
    """What other calls of the same function or class are given at the same place."""
    function = innermost(source, call)
    place = next((number for number, one in enumerate(call.args) if one is node), None)
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Call)]
    alike = [one for one in inside if one is not call and called(one) == called(call)]
    return {_text.written(source, one.args[place]) for one in alike if place is not None and place < len(one.args)}


def _way(node: ast.expr) -> tuple[str, ...]:
    """`+` and two names; nothing for a name alone."""
    return _way_of(ast.unparse(node)) if isinstance(node, ast.BinOp) else ()


def _way_of(text: str) -> tuple[str, ...]:
    return tuple(_NAME.sub("_", text).split()) if " " in text else ()


def replaced(source: Source, call: ast.Call, node: ast.expr) -> Iterator[str]:
    """Sums with one side written as a layer next to it writes that size: `c // 2 + skip` for `c + skip`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
        return
    for side in (node.left, node.right):
        for text, one in _nearby(source, call):
            names = {part.id for part in walk(one) if isinstance(part, ast.Name)}
            related = isinstance(side, ast.Name) and side.id in names and isinstance(one, ast.BinOp)
            if related and ast.unparse(one) not in (ast.unparse(node), ast.unparse(side)):
                parts = [text if part is side else _text.written(source, part) for part in (node.left, node.right)]
                yield f" {'+' if isinstance(node.op, ast.Add) else '-'} ".join(parts)


def _candidates(source: Source, call: ast.Call, node: ast.expr, known: Mapping[str, int]) -> dict[str, int | None]:
    old = ast.unparse(node)
    return {text: _value(one, known) for text, one in _nearby(source, call) if ast.unparse(one) != old}


def multiples(node: ast.expr, size: int, known: Mapping[str, int]) -> Iterator[str]:
    """The names that are written, where they are known, times a whole number or divided by one; a product with more.

    `width * 4` of maps that were flattened is `width * 4 * 7 * 7`.
    """
    names = [one.id for one in walk(node) if isinstance(one, ast.Name)]
    names += [ast.unparse(node)] if isinstance(node, ast.Attribute) else []
    for name in names if size > 0 else ():
        value = known.get(name, 0) or derived(node, known.get(ast.unparse(node), 0)).get(name, 0)
        if value < 1:
            continue
        if size == value**2:
            yield f"{name} ** 2"
        if size % value == 0 and 1 < size // value <= MAX_FACTOR:
            yield f"{size // value} * {name}"
        if value % size == 0 and 1 < value // size <= MAX_FACTOR:
            yield f"{name} // {value // size}"
    old = known.get(ast.unparse(node), 0)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and 0 < old < size and size % old == 0:
        side = math.isqrt(size // old)
        yield f"{ast.unparse(node)} * {f'{side} * {side}' if side * side == size // old else size // old}"


def terms(source: Source, call: ast.Call, node: ast.expr, more: int, known: Mapping[str, int],
          spare: bool = False) -> Iterator[str]:  # fmt: skip
    """With so much more: a size that is known to be as much, one that nothing uses, what may be as much, the number.

    `spare`: only with what nothing uses.
    """
    text = _text.written(source, node)
    unused = [f"{text} + {other}" for other in _unused(source, call)]
    if spare:
        yield from unused
        return
    values = dict(known)
    for part in arguments(call):
        if (value := known.get(ast.unparse(part))) is not None:
            values.update(derived(part, value))
    own = {ast.unparse(one) for one in walk(node)}
    found = {other: _value(one, values) for other, one in _nearby(source, call) if ast.unparse(one) not in own}
    yield from (f"{text} + {other}" for other, value in found.items() if value == more)
    yield from unused
    unknown = [other for other, value in found.items() if value is None]
    yield from (f"{text} + {other}" for other in unknown[:MAX_NEARBY])
    if _named(node) and more % known.get(ast.unparse(node), more + 1):
        yield f"{text} + {more}"  # of twice as much nobody writes a sum


def derived(node: ast.expr, value: int) -> dict[str, int]:
    """What an expression was, and with it the one name in it, where that can be told: `c * 2` was 8, so `c` was 4."""
    found = {ast.unparse(node): value}
    left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (None, None)
    for side, other in ((left, right), (right, left)):
        number = other.value if isinstance(other, ast.Constant) and type(other.value) is int else 0
        if isinstance(side, ast.Name) and number > 0 and isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mult) and value % number == 0:
                found[side.id] = value // number
            elif isinstance(node.op, ast.Add):
                found[side.id] = value - number
    return found


def _named(node: ast.expr) -> bool:
    return any(isinstance(one, ast.Name) for one in walk(node))


def _unused(source: Source, call: ast.Call) -> Iterator[str]:
    function = innermost(source, call)
    if function is not None:
        names = [one for one in walk(function) if isinstance(one, ast.Name)]
        used = {one.id for one in names if isinstance(one.ctx, ast.Load)}
        given = [one.arg for one in (*function.args.args[1:], *function.args.kwonlyargs)]
        bound = [one.id for one in names if isinstance(one.ctx, ast.Store) and one.lineno < call.lineno]
        yield from (name for name in dict.fromkeys([*bound, *given]) if name not in used and name[:1] != "_")


def _nearby(source: Source, call: ast.Call) -> list[tuple[str, ast.expr]]:
    """What the calls in the same function are given as sizes, and the names in it, the nearest first."""
    function = innermost(source, call)
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Call)]
    sizes = [one for other in inside for one in given(other, True) if _is_size(one)]
    parts = [part for one in sizes if isinstance(one, ast.BinOp) for part in walk(one) if isinstance(part, ast.Name)]
    sizes += _computed_before(function, call) if function is not None else []
    others = {ast.unparse(one) for other in inside for one in given(other, False)}
    layers = {ast.unparse(one) for other in inside if called(other) in PARAMETERS for one in given(other, True)}
    found = sorted([*sizes, *parts], key=lambda one: _distance(one, call))
    excluded = others - layers | (_no_numbers(function) if function is not None else frozenset[str]())
    return [(_text.written(source, one), one) for one in found if ast.unparse(one) not in excluded]


def _computed_before(function: ast.FunctionDef, call: ast.Call) -> list[ast.expr]:
    """`self.heads` after `self.heads = dim // width`."""
    before = [one for one in walk(function) if isinstance(one, ast.Assign) and one.lineno < call.lineno]
    parts = [one for one in before if isinstance(one.value, ast.BinOp) and isinstance(one.value.op, ast.FloorDiv)]
    held = [(one.targets[0], one.value) for one in parts]
    return [target for target, value in held if isinstance(target, ast.Attribute) and _is_size(value)]


def _no_numbers(function: ast.FunctionDef) -> set[str]:
    """Names of what is called, has attributes or items, or is true or a text where nothing is given."""
    inside = [one for one in walk(function) if isinstance(one, ast.Call | ast.Attribute | ast.Subscript)]
    used = [one.func if isinstance(one, ast.Call) else one.value for one in inside]
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [*zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True),
                *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
    flags = {one.arg for one, value in defaults
             if isinstance(value, ast.Constant) and isinstance(value.value, bool | str)}  # fmt: skip
    return flags | {one.id for one in used if isinstance(one, ast.Name)}


def _distance(node: ast.expr, call: ast.Call) -> tuple[int, bool]:
    return abs(node.lineno - call.lineno), node.lineno > call.lineno


def _is_size(node: ast.expr) -> bool:
    """Whether it looks like a number: names, with or without arithmetic."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return isinstance(node.op, _ARITHMETIC) and all(isinstance(one, ast.Constant) or _is_size(one) for one in sides)
    if isinstance(node, ast.Call):
        return called(node) == "len"
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.attr not in ("weight", "bias")
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and not isinstance(node.slice, ast.Slice | ast.Tuple)
    return isinstance(node, ast.Name)


def _value(node: ast.expr, known: Mapping[str, int]) -> int | None:
    if (whole := known.get(ast.unparse(node))) is not None:
        return whole
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, known), _value(node.right, known)
        return _computed(node.op, left, right) if left is not None and right is not None else None
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    return None


def _computed(operation: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operation, ast.FloorDiv):
        return left // right if right else None
    if isinstance(operation, ast.Pow):
        return left**right if 0 <= right <= MAX_FACTOR else None
    if isinstance(operation, ast.Mult):
        return left * right if abs(left) < MAX_SIZE > abs(right) else None
    return left + right if isinstance(operation, ast.Add) else left - right
