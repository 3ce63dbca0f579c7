"""Other values in the place of what was made up: other inputs, other numbers for a constructor."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any, Dict, Iterator, List, Mapping, Tuple

from fx_lsp.worker.inference.changes import swap
from fx_lsp.worker.inference.groups import apart, flat, folded
from fx_lsp.worker.inference.inputs import Group, Inputs, Plain, Tensor, of_rank
from fx_lsp.worker.inference.solving import dims_of, size_of, with_sizes

MAX_ELSEWHERE = 4
"""Inputs with which a model that was built with another number is tried."""
MAX_RANK = 5
MAX_MORE = 2
"""Members that a list gets more."""
_CONFIGURATION = re.compile(r"(?i)(config(uration)?|cfg|args|arguments|params|hparams|settings|options)$")
_OFF = 16
"""A number in the place of a zero, with which something is left out, or of what is no whole number."""


def is_known(text: str) -> bool:
    """Whether it is of numbers: not a text, which may choose something, and not another model; a configuration has
    defaults."""
    try:
        nodes = [*ast.walk(ast.parse(text, mode="eval").body)]
    except SyntaxError:
        return False
    if any(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in nodes):
        return False
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    named = sum(isinstance(node, ast.Name) for node in nodes)
    return named == len(calls) and all(_CONFIGURATION.search(ast.unparse(call.func)) for call in calls)


def others(text: str) -> Iterator[Tuple[str, List[Tuple[int, int]], bool]]:
    """Another number in the place of each, the sizes that change with it, and whether what is wrong is measured then:
    half or twice as many leave no rest where one more may."""
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            was = node.value
            for new, sizes, measured in _other_numbers(was):
                node.value = new
                yield ast.unparse(tree), sizes, measured
            node.value = was


def lengths(arguments: Mapping[str, str]) -> Iterator[int]:
    """How many numbers each list of several holds that was made up."""
    for text in arguments.values():
        for node in ast.walk(ast.parse(text, mode="eval")):
            if isinstance(node, (ast.Tuple, ast.List)):
                yield len(node.elts)


def _other_numbers(value: Any) -> Iterator[Tuple[Any, List[Tuple[int, int]], bool]]:
    if isinstance(value, bool):
        yield not value, [], True
    elif isinstance(value, int):
        for new, measured in {value + 1: value == 0, value // 2: value % 2 == 0, value * 2: True}.items():
            if new > 0:
                yield new, [(value, new)], measured
    else:
        yield value / 2 or 0.5, [], False
        yield _OFF, [], False  # it may be a size


def switched(text: str) -> str:
    """A flag, or a zero with which something is left out, the other way round; empty for anything else."""
    return {"False": "True", "True": "False", "0": str(_OFF)}.get(text, "")


def fitting(inputs: Inputs, sizes: List[Tuple[int, int]]) -> Iterator[Inputs]:
    """The same, then such as have the new size in the place of the old one."""
    yield inputs
    parts = flat(inputs)
    tensors = {name: one for name, one in parts.items() if isinstance(one, Tensor)}
    for old, new in sizes:
        yield from (folded(change, inputs) for change in islice(swap(parts, tensors, old, new), MAX_ELSEWHERE))


def resized(inputs: Inputs) -> Iterator[Tuple[Inputs, bool]]:
    """Other sizes of each dim, and of all that are as large; other numbers; see `others`."""
    parts = flat(inputs)
    for dims in dims_of(parts):
        for times, more in ((2, 0), (1, 1)):
            sizes = {dim: size_of(parts, dim) * times + more for dim in dims}
            yield folded(with_sizes(parts, sizes), inputs), more == 0
    for name, plain in parts.items():
        if isinstance(plain, Plain):
            for text, _, measured in others(plain.text):
                yield folded({**parts, name: Plain(text)}, inputs), measured


def of_other_kinds(inputs: Inputs) -> Iterator[Inputs]:
    """Of other types; with a dim more, with a dim less, in one tensor, in those that are alike and in all; of the shape
    of another one; one in the place of several, and more of them."""
    parts = flat(inputs)
    tensors: Dict[str, Tensor] = {name: one for name, one in parts.items() if isinstance(one, Tensor)}
    for name, one in tensors.items():
        for dtype in ("f32", "i64", "b8"):
            if dtype != one.dtype:
                yield folded({**parts, name: replace(one, dtype=dtype)}, inputs)
        yield from (folded({**parts, name: other}, inputs) for other in _of_other_ranks(one))
    for name, group in inputs.items():
        if isinstance(group, Group):
            yield from ({**inputs, name: one} for _, one in group.members[:1])
    for name, group in apart(inputs).items():
        for more in range(1, MAX_MORE + 1):
            added = tuple((len(group.members) + number, group.members[-1][1]) for number in range(more))
            yield {**inputs, name: Group(group.maker, (*group.members, *added))}
    shapes = Counter(one.shape for one in tensors.values())
    together = [[name for name, one in tensors.items() if one.shape == shape] for shape in shapes if shapes[shape] > 1]
    for names in (*together, *([[*tensors]] if len(shapes) > 1 else [])):
        for alike in zip(*(_of_other_ranks(tensors[name]) for name in names)):
            yield folded({**parts, **dict(zip(names, alike))}, inputs)
    for name, one in tensors.items():
        yield from (folded({**parts, name: one.resized(shape)}, inputs) for shape in shapes if shape != one.shape)


def _of_other_ranks(tensor: Tensor) -> Iterator[Tensor]:
    shape = tensor.shape
    for other in (shape[1:], shape[:-1], (*shape[:1], 1, *shape[1:]), (*shape, 4), (1, *shape)):
        yield tensor.resized(other)
    yield from (of_rank(tensor, rank) for rank in range(MAX_RANK + 1) if rank != len(shape))
