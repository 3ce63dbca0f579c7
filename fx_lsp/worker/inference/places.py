"""Inputs with as many places as a list of the module has, with as many dims as sizes are named, and truths where a
tensor was asked for one."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List

from fx_lsp.worker.inference.attempts import Attempt, reached, words
from fx_lsp.worker.inference.changes import at
from fx_lsp.worker.inference.groups import flat, folded
from fx_lsp.worker.inference.inputs import Inputs, Plain, Tensor

_INDEXED = re.compile(r"([A-Za-z_][\w.]*)\[\s*([A-Za-z_]\w*)\s*\]")
_ASKED = re.compile(r"Boolean value of Tensor|bool value of Tensor")
_TOO_FEW = re.compile(r"not enough values to unpack \(expected (\d), got (\d)\)")
_SIZES = re.compile(r"\.shape\b|\.size\(\)")
MAX_MORE = 3
SIDE = 8
"""Of what is divided into patches."""


def as_many(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With no more of something than a list has, that was looked into further than it goes: `self.axes[i]`, for
    each column."""
    frames = attempt.frames() if isinstance(attempt.error, IndexError) else []
    parts = flat(inputs)
    for path, index in _INDEXED.findall(attempt.last_text()) if frames else ():
        listed, place = reached(frames[-1], path), reached(frames[-1], index)
        if not isinstance(listed, (list, tuple)) or type(place) is not int or not 0 < len(listed) <= place:
            continue
        for back in (-1, -2, -3):
            deep = {name: one for name, one in parts.items() if isinstance(one, Tensor) and len(one.shape) >= -back}
            many = {name: at(one, back, len(listed)) for name, one in deep.items() if one.shape[back] > len(listed)}
            alike = [[one for one in many if deep[one].shape[back] == size] for size in _sizes(deep, back)]
            for names in [*(several for several in alike if len(several) > 1), *([name] for name in many)]:
                yield folded({**parts, **{name: many[name] for name in names}}, inputs)  # joined, they need one size


def _sizes(tensors: Dict[str, Tensor], place: int) -> List[int]:
    """Those there are in a place, each once."""
    return list(dict.fromkeys(one.shape[place] for one in tensors.values()))


def unpacked(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With more dims before the last one, where the sizes of something were fewer than the names for them."""
    match = _TOO_FEW.search(attempt.message)
    more = int(match[1]) - int(match[2]) if match is not None and _SIZES.search(attempt.last_text()) else 0
    parts = flat(inputs)
    for name, one in parts.items() if 0 < more <= MAX_MORE else ():
        if isinstance(one, Tensor) and len(one.shape) > 1:
            changed = one.resized((*one.shape[:-1], *[SIDE] * more, one.shape[-1]))
            yield folded({**parts, name: changed}, inputs)


def truths(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With a truth in the place of a tensor that a condition asks whether it holds."""
    said = " ".join([attempt.last_text(), *(text for _, text, _ in attempt.in_modules()[:1])])
    for name in words(said) if _ASKED.search(attempt.message) else ():
        given = name if name in inputs else attempt.input_of(attempt.last_value(name))
        if given in inputs:
            yield from ({**inputs, given: Plain(text)} for text in ("True", "False"))
