"""Shapes that a condition asks for which was asserted, or under which something was raised: `x.size(1) == 4`."""

from __future__ import annotations

import ast
import re
from types import FrameType
from typing import Dict, Iterator, Optional, Tuple

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.changes import MAX_SIZE, Tensors, at
from fx_lsp.worker.inference.inputs import Inputs, Tensor, of_rank

_MEMBER = r"(\w+)\.(?:size\((-?\d)\)|shape\[(-?\d)\]) *(?:==|!=) *([\w.]+)\b(?! *[.(\[*/%+-])"
_RANK = r"(?:len\((\w+)\.(?:shape|size\(\))\)|(\w+)\.(?:dim\(\)|ndim\b)) *(?:==|!=) *(\d)"
_WHOLE = r"(\w+)\.(?:shape|size\(\)) *(?:==|!=) *(?:torch\.Size\()?[(\[]([\w., ]+)[)\]]"
MAX_RANK = 6


def asserted(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """With all of those sizes in the inputs that are named, else in each; then in all."""
    frame, text = attempt.condition()
    ranks = {one or other: int(rank) for one, other, rank in re.findall(_RANK, text)}
    sizes: Dict[Tuple[str, int], int] = {}
    for name, first, second, value in re.findall(_MEMBER, text):
        if frame is not None and (size := _number(value, frame)) is not None:
            sizes[name, int(first or second)] = size
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
        if name not in tensors:  # it has another name there
            yield from ({**inputs, given: changed(tensor, name)} for given, tensor in tensors.items())
        yield {**inputs, **{given: changed(tensor, name) for given, tensor in tensors.items()}}


def _number(text: str, frame: FrameType) -> Optional[int]:
    """What a literal, a variable or an attribute of one is, where it is a size."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        first, *rest = text.split(".")
        value = frame.f_locals.get(first)
        for name in rest:
            value = getattr(value, "__dict__", {}).get(name)
    return value if type(value) is int and 0 < value <= MAX_SIZE else None
