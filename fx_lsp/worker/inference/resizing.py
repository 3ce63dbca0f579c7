"""Other sizes of what is built, by those that did not go together in its `forward`."""

from __future__ import annotations

import inspect
import re
from typing import Dict, Iterator

import torch

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import Arguments, value_of
from fx_lsp.worker.inference.inputs import LENGTH

_OTHER_RANK = re.compile(r"a list of [23] values to match the convolution dimensions|expected [2-5]D .*input to conv")
_DIVISOR = re.compile(r"(?:multiple of|divisible by)[^\d.;]{0,40}(\d+)")
_NEGATIVE = re.compile(r"negative dimension -(\d+)")
_REPEATED = re.compile("layer|depth|head|block|stage")
"""Of names: there is a whole part for each of these."""
MOST = 4096
"""A size that is made larger becomes no larger than this."""
MOST_TIMES = 16
ROWS = "64"
"""Of a table that has too few."""
MAX_MET = 2
"""Sizes of inputs that are tried."""
MAX_LOST = 16
"""Places that a kernel takes off, at most."""


def of_other_rank(attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With as many sizes, one a dim, as a layer has that got too few or too many."""
    if _OTHER_RANK.search(attempt.message):
        for name, text in given.items():
            sizes = value_of(text)
            if isinstance(sizes, tuple) and 1 < len(sizes) < 4 and len(set(sizes)) == 1:
                yield {**given, name: str(sizes[:1] * (5 - len(sizes)))}


def divisible(attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With sizes that can be divided by what the message says something has to be."""
    match = _DIVISOR.search(attempt.message)
    divisor = int(match[1]) if match is not None else 1
    for name, text in given.items():
        if text.isdigit() and divisor > 1 and int(text) % divisor and int(text) > 1:
            yield {**given, name: str((int(text) // divisor + 1) * divisor)}


def of_more_rows(attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With more of what a table has a row for each of, where a number was looked up that it has not."""
    function, _, args = attempt.watch.failing or ("", (), ())
    if function != "embedding" or "out of range" not in attempt.message:
        return
    tables = [one for one in args if isinstance(one, torch.Tensor)]
    with torch._C.DisableTorchFunction():
        rows = {one.shape[0] for one in tables if one.is_floating_point() and one.dim() == 2}
    sizes = {name: text for name, text in given.items() if re.fullmatch(r"[\d, ()\[\]]+", text)}
    few = {name: text for name, text in sizes.items() if not _REPEATED.search(name)}
    more = {name: re.sub(rf"\b{count}\b", ROWS, text) for count in rows for name, text in few.items()}
    changed = {name: text for name, text in more.items() if text != given[name]}
    yield from ({**given, name: text} for name, text in changed.items())
    if len(changed) > 1:
        yield {**given, **changed}


def resized(parameters: Dict[str, inspect.Parameter], given: Arguments, one: int, other: int) -> Iterator[Arguments]:
    """Other sizes of what is built, where two did not go together; also of those that nobody gave."""
    for old, new in ((one, other), (other, one)):
        names = [name for name, text in given.items() if text == str(old)]
        unsaid = [one for one in parameters.values() if one.name not in given and type(one.default) is int]
        names += [one.name for one in unsaid if one.default == old]
        yield from ({**given, name: str(new)} for name in names)
        within = {
            name: re.sub(rf"(?<![\w.]){old}(?![\w.])", str(new), text) for name, text in given.items() if "(" in text
        }
        yield from ({**given, name: text} for name, text in within.items() if text != given[name])
        if len(names) > 1:
            yield {**given, **dict.fromkeys(names, str(new))}
    few, many = sorted((one, other))
    if few > 1 and many % few == 0 and many // few <= MOST_TIMES:  # what comes out is some times as wide
        wider = {name: int(text) * many // few for name, text in given.items() if text.isdigit()}
        yield from ({**given, name: str(size)} for name, size in wider.items() if 0 < size <= MOST)


def positive(parameters: Dict[str, inspect.Parameter], attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With larger sizes, or smaller ones, where less than nothing was left of one when another was taken off it."""
    match = _NEGATIVE.search(attempt.message)
    if match is None:
        return
    for name, text in given.items():
        if text.isdigit() and (larger := int(text) + int(match[1]) + LENGTH) <= MOST:
            yield {**given, name: str(larger)}
    unsaid = {one.name: repr(one.default) for one in parameters.values() if type(one.default) is int}
    sizes = {name: int(text) for name, text in {**unsaid, **given}.items() if text.isdigit()}
    yield from ({**given, name: str(max(size // 8, 1))} for name, size in sizes.items() if size > 8)


def as_met(attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With a size that one of the inputs has, where it may count what goes through the module."""
    tensors = (one for one in attempt.watch.given.values() if isinstance(one, torch.Tensor))
    with torch._C.DisableTorchFunction():
        sizes = dict.fromkeys(size for one in tensors for size in one.shape[1:] if type(size) is int)
    for size in list(sizes)[:MAX_MET]:
        yield from ({**given, name: str(size)} for name, text in given.items() if text.isdigit() and text != str(size))


def as_large(parameters: Dict[str, inspect.Parameter], given: Arguments, one: int, other: int) -> Iterator[Arguments]:
    """With other settings of a kernel, where what went in is not as large as what came out: it is padded by what it
    loses, or takes one place at a time."""
    lost = abs(one - other)
    padded = str(lost // 2) if lost % 2 == 0 and 0 < lost < min(one, other, MAX_LOST) else ""
    for words_in, new in (("pad", padded), ("kernel", padded and "1"), ("stride", "1" if lost else "")):
        for name in (name for name in parameters if new and words_in in name.lower()):
            now = given.get(name, repr(parameters[name].default))
            if now.isdigit() and now != new:
                yield {**given, name: new}
