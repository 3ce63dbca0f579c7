"""Inputs whose values a condition bounds: `if x.min() < 0 or x.max() > 1: raise`; and lengths that have an order."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Iterator

import torch

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.changes import Tensors, each, everywhere
from fx_lsp.worker.inference.inputs import BATCH, Inputs, Plain, Tensor, lengths
from fx_lsp.worker.inference.mismatches import mismatches

_BETWEEN = "torch.sigmoid({0})"
_EITHER = "({0} > 0).float()"
_OF_VALUES = re.compile(r"\b(?:a?min|a?max|any|all|isnan|isfinite)\(")
_COMPARED = re.compile(r"\b(\w+) *(?:<=?|>=?) *-?\d")
_IN_ORDER = re.compile(r"sorted in decreasing order|[Ll]engths? .*(greater|larger|more) than 0")
_LENGTHS = re.compile(r"torch\.tensor\(\[(\d+), \d+\]\)")
_SAID = re.compile(
    r"between 0(?:\.0?)? and 1|in (?:the )?(?:range|interval)[^\d]{0,6}0(?:\.0?)?, ?1|non-?negative|(?:be|not) positive"
    r"|out(?:side)? of (?:the )?(?:domain|range \[0)|outside|within the support",
    re.IGNORECASE,
)


def in_order(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """With lengths from the longest to the shortest, of which none is more than there is, or with a mask that says the
    same of all rows."""
    rows = [tensor.shape for tensor in tensors.values() if len(tensor.shape) > 1]
    if _IN_ORDER.search(attempt.message) and rows:
        for name in (name for name, tensor in tensors.items() if tensor.dtype == "i64" and len(tensor.shape) == 1):
            yield {**inputs, name: lengths(rows[0][1], tensors[name].shape[0])}
        for name, mask in ((name, tensor) for name, tensor in tensors.items() if tensor.dtype == "b8"):
            for all_alike in ("torch.ones", "torch.zeros"):  # which all rows are as long by
                yield {**inputs, name: Plain(f"{all_alike}({mask.shape}, dtype=torch.bool)")}


def as_long(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With lengths as large as what met the longest of them."""
    found = {name: _LENGTHS.fullmatch(value.text) for name, value in inputs.items() if isinstance(value, Plain)}
    known = {name: int(match[1]) for name, match in found.items() if match is not None}
    met = [pair for one in mismatches(attempt) for pair in (one, one[::-1])] if known else []
    for name, longest in known.items():
        for size in dict.fromkeys(other for one, other in met if one == longest and other > 1):
            yield {**inputs, name: lengths(size, BATCH)}


def bounded(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """With numbers between 0 and 1 in all tensors, then in each, where a condition on values did not hold; with nothing
    else than 0 and 1 where a distribution has only these."""
    _, text = attempt.condition()
    if "Boolean()" in attempt.message:
        yield from each(inputs, tensors, lambda tensor: _wrapped(tensor, _EITHER))
    if _OF_VALUES.search(text) or _SAID.search(attempt.message) or _of_a_result(attempt, text):
        yield everywhere(inputs, tensors, _between)
        yield from each(inputs, tensors, _between)


def _of_a_result(attempt: Attempt, text: str) -> bool:
    """Whether a single number that was computed is compared: `assert loss <= 1`."""
    values = map(attempt.last_value, _COMPARED.findall(text))
    with torch._C.DisableTorchFunction():
        return any(isinstance(one, torch.Tensor) and one.is_floating_point() and one.numel() == 1 for one in values)


def _between(tensor: Tensor) -> Tensor:
    return _wrapped(tensor, _BETWEEN)


def _wrapped(tensor: Tensor, wrap: str) -> Tensor:
    plain = tensor.dtype == "f32" and tensor.wrap in ("{0}", _BETWEEN)
    return replace(tensor, wrap=wrap) if plain else tensor
