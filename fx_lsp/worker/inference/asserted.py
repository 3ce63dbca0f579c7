"""Shapes that a condition asks for which was asserted, or under which something was raised: `x.size(1) == 4`, and
numbers that it compares: `wanted <= x.size(1)`; what has to be of one shape: `x.shape == y.shape`."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from types import FrameType
from typing import Any, Dict, Iterator, Optional, Tuple

import torch

from fx_lsp.model.example import DTYPES
from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.changes import MAX_SIZE, Tensors, at, of_area, scaled, swap
from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.inputs import Inputs, Plain, Tensor, of_rank
from fx_lsp.worker.inference.variables import variables

_MEMBER = r"(\w+)\.(?:size\((-?\d)\)|shape\[(-?\d)\]) *(?:==|!=) *([\w.]+)\b(?! *[.(\[*/%+-])"
_RANK = r"(?:len\((\w+)\.(?:shape|size\(\))\)|(\w+)\.(?:dim\(\)|ndim\b)) *(?:==|!=) *(\d)"
_LISTED = r"isinstance\((\w+), *\(?(list|tuple)\b"
_WHOLE = r"(\w+)\.(?:shape|size\(\)) *(?:==|!=) *(?:torch\.Size\()?[(\[]([\w., ]+)[)\]]"
_DTYPE = r"(\w+)\.dtype *(?:==|!=|is|is not) *torch\.(\w+)"
_NOTHING = r"\bif (\w+) is None:"
_SHORT = {long: short for short, long in DTYPES.items()}
MAX_RANK = 6
_PLAIN = (
    ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load,
    ast.Call, ast.Slice, ast.Tuple, ast.List,
)  # fmt: skip
"""What a number may be written with, so that looking at it does nothing."""
_ASKED = re.compile(r"len|min|max|int|abs|size|dim|numel")
"""Functions and methods that only say how much there is."""


def asserted(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """With all of those sizes in the inputs that are named, else in each; then in all."""
    frame, text = attempt.condition()
    if typed := _typed(text, tensors):
        yield {**inputs, **typed}
        inputs, tensors = {**inputs, **typed}, {**tensors, **typed}
    listed = {name: "[{0}, {0}]" if kind == "list" else "({0}, {0})" for name, kind in re.findall(_LISTED, text)}
    single = {name for name in tensors if name in listed and tensors[name].wrap == "{0}"}
    if single:
        yield {**inputs, **{name: replace(tensors[name], wrap=listed[name]) for name in single}}
        yield {**inputs, **{name: replace(one, wrap=next(iter(listed.values()))) for name, one in tensors.items()}}
    for held in (attempt.input_of(attempt.last_value(name)) for name in re.findall(_NOTHING, text)):
        if held and isinstance(attempt.error, TypeError):  # it is of no kind that is known, and need not be there
            yield {**inputs, held: Plain("None")}
    ranks = {one or other: int(rank) for one, other, rank in re.findall(_RANK, text)}
    sizes: Dict[Tuple[str, int], int] = {}
    others: Dict[Tuple[str, int], int] = {}
    for name, first, second, value in re.findall(_MEMBER, text):
        if frame is not None and (size := _number(value, frame)) is not None:
            (others if (name, int(first or second)) in sizes else sizes)[name, int(first or second)] = size
    for name, listed in re.findall(_WHOLE, text):
        values = [_number(one.strip(), frame) for one in listed.rstrip(", ").split(",") if frame is not None]
        if None not in values:
            ranks[name] = len(values)
            sizes.update({(name, place): size for place, size in enumerate(values) if size is not None})
    names = {name for name, _ in sizes} | set(ranks)
    named = [name for name in tensors if name in names]

    def changed(tensor: Tensor, name: str) -> Tensor:
        places = [place for of, place in sizes if of == name]
        least = max([len(tensor.shape), *(place + 1 if place >= 0 else -place for place in places)])
        rank = ranks.get(name, least)
        tensor = of_rank(tensor, rank) if 0 < rank <= MAX_RANK else tensor
        for place in places:
            tensor = at(tensor, place, sizes[name, place])
        return tensor

    if named:
        yield {**inputs, **{name: changed(tensors[name], name) for name in named}}
    for name in names:
        local = attempt.input_of(attempt.last_value(name))
        if local in tensors:
            yield {**inputs, local: changed(tensors[local], name)}
        elif name not in tensors:  # it has another name there
            yield from ({**inputs, given: changed(tensor, name)} for given, tensor in tensors.items())
        yield {**inputs, **{given: changed(tensor, name) for given, tensor in tensors.items()}}
    for (name, place), size in others.items():  # one of several sizes will do
        yield from ({**inputs, given: at(one, place, size)} for given, one in tensors.items() if name == given)
    for test in _tests(text) if frame is not None else ():
        for part in (one for one in ast.walk(test) if isinstance(one, ast.Compare) and len(one.ops) == 1):
            yield from _alike(attempt, inputs, tensors, part)


def _typed(text: str, tensors: Tensors) -> Tensors:
    """The inputs whose dtype is asserted to be another one, with that."""
    found: Tensors = {}
    for name, dtype in re.findall(_DTYPE, text):
        short = _SHORT.get(dtype)
        if name in tensors and short is not None and tensors[name].dtype != short:
            found[name] = replace(tensors[name], dtype=short)
    return found


def _listed(node: ast.expr) -> ast.expr:
    """What is made a list or a tuple: `list(x.shape[2:])`."""
    made = isinstance(node, ast.Call) and len(node.args) == 1 and getattr(node.func, "id", "") in ("list", "tuple")
    return node.args[0] if isinstance(node, ast.Call) and made else node


def _alike(attempt: Attempt, inputs: Inputs, tensors: Tensors, part: ast.Compare) -> Iterator[Inputs]:
    """With sizes that do not differ any more: those of the one side on the other, then the other way round."""
    sides, frame = tuple(map(_listed, (part.comparators[0], part.left))), attempt.frames()[-1]
    shapes = [_shape(node, frame) for node in sides]
    for node, got, wanted in zip(sides, shapes, shapes[::-1]) if all(shapes) and shapes[0] != shapes[1] else ():
        whole = node.value if isinstance(node, ast.Subscript) else node
        named = whole.func if isinstance(whole, ast.Call) else whole
        full = _shape(whole, frame)
        places = (at for at in range(len(full)) if full[at : at + len(got)] == got)
        if isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name) and (at := next(places, -1)) >= 0:
            wanted = (*full[:at], *wanted, *full[at + len(got) :])
            yield from _reshaped(inputs, tensors, named.value.id, full, wanted)
    for got, wanted in zip(*shapes) if len(shapes[0]) == len(shapes[1]) else ():
        for one, other in ((wanted, got), (got, wanted)) if got != wanted else ():
            yield from scaled(inputs, tensors, one, other)


def _reshaped(
    inputs: Inputs, tensors: Tensors, name: str, got: Tuple[int, ...], wanted: Tuple[int, ...]
) -> Iterator[Inputs]:
    """With the wanted sizes in the input that is called so, else in one that has those it was met with, also beside one
    more dim, which was taken away by an index."""
    for given in sorted(tensors, key=lambda given: given != name):
        shape = tensors[given].shape
        if shape == got:
            yield {**inputs, given: tensors[given].resized(wanted)}
    for given in sorted(tensors, key=lambda given: given != name):
        shape = tensors[given].shape
        for place in range(len(shape)):
            if (*shape[:place], *shape[place + 1 :]) == got and place <= len(wanted):
                yield {**inputs, given: tensors[given].resized((*wanted[:place], shape[place], *wanted[place:]))}


def _shape(node: ast.expr, frame: FrameType) -> Tuple[int, ...]:
    """The sizes that an expression is where it failed."""
    value = _looked_at(node, frame)
    sizes = value if isinstance(value, (tuple, list)) else ()
    return tuple(sizes) if all(type(size) is int for size in sizes) else ()


def _number(text: str, frame: FrameType) -> Optional[int]:
    """What a literal, a variable or an attribute of one is, where it is a size."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        first, *rest = text.split(".")
        value = variables(frame).get(first)
        for name in rest:
            value = getattr(value, "__dict__", {}).get(name)
    return value if type(value) is int and 0 < value <= MAX_SIZE else None


def ordered(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """With other sizes, where two numbers did not compare, or divide, as a condition wants them to."""
    frame, text = attempt.condition()
    for test in _tests(text) if frame is not None else ():
        for part in (one for one in ast.walk(test) if isinstance(one, ast.Compare) and len(one.ops) == 1):
            left, right = part.left, part.comparators[0]
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
                size, whole = _of(left.left, frame), _of(left.right, frame)
                pairs = [(size, size + whole - size % whole)] if size and whole else []
            else:
                one, other = _of(left, frame), _of(right, frame)
                pairs = [(one, other), (other, one)] if one != other else [(one, one * 2)]
            for got, needed in pairs:
                yield from _in_numbers(inputs, text, got, needed)
                yield from of_area(inputs, tensors, got, needed)
                yield from swap(inputs, tensors, got, needed)
            for got, needed in pairs[:1]:
                yield from scaled(inputs, tensors, got, needed)


def compared_sizes(attempt: Attempt) -> Iterator[Tuple[int, int]]:
    """Sizes that did not compare as a condition wants them to."""
    frame, text = attempt.condition()
    for test in _tests(text) if frame is not None else ():
        for part in (one for one in ast.walk(test) if isinstance(one, ast.Compare) and len(one.ops) == 1):
            one, other = _of(part.left, frame), _of(part.comparators[0], frame)
            if one != other and one and other:
                yield one, other


def _in_numbers(inputs: Inputs, text: str, got: int, needed: int) -> Iterator[Inputs]:
    """With another size in an input that is numbers, where the condition names it."""
    plain = {name: one for name, one in inputs.items() if isinstance(one, Plain) and re.search(rf"\b{name}\b", text)}
    for name, one in plain.items() if got and needed else ():
        value = value_of(one.text)
        if type(value) is int and value == got:
            yield {**inputs, name: Plain(str(needed))}
        if isinstance(value, tuple) and got in value:
            yield {**inputs, name: Plain(repr(tuple(needed if size == got else size for size in value)))}


def _tests(text: str) -> Iterator[ast.expr]:
    """The conditions in an assertion, or in the lines under which something was raised."""
    asserted = text.strip().startswith("assert")
    for line in [text.strip()] if asserted else re.findall(r"(?m)^\s*(?:el)?(if .*:)\s*$", text):
        try:
            statement = ast.parse(line if asserted else f"{line} pass").body[0]
        except SyntaxError:  # it goes on in another line
            continue
        if isinstance(statement, (ast.Assert, ast.If)):
            yield statement.test


def _of(node: ast.expr, frame: FrameType) -> int:
    """The size that an expression is where it failed; 0 where it is none."""
    value = _looked_at(node, frame)
    return value if type(value) is int and 0 < value <= MAX_SIZE else 0


def _looked_at(node: ast.expr, frame: FrameType) -> Any:
    """What an expression is where it failed; None where more than looking would be done."""
    for part in ast.walk(node):
        called = part.func if isinstance(part, ast.Call) else None
        name = getattr(called, "attr", getattr(called, "id", "len"))
        if not isinstance(part, _PLAIN) or not _ASKED.fullmatch(name):
            return None
    try:
        with torch._C.DisableTorchFunction():
            return eval(compile(ast.Expression(node), "", "eval"), frame.f_globals, variables(frame))
    except Exception:  # a property of the workspace, or a variable of a function around it
        return None
