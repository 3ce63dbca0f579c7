"""Ranks that a failure asks for: those that a message says, and those that a table is for in which that of a tensor was
looked up in vain, `self.recipes[x.ndim]`."""

from __future__ import annotations

import re
from typing import Iterator, List

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.changes import Tensors, each, everywhere
from fx_lsp.worker.inference.inputs import Inputs, of_rank

_RANK = (
    r"expected (\d)D", r"[Ee]xpected (?:a )?(\d)-?[dD]", r"[Ee]xpected (\d) dims", r"expected to be (\d)-?[dD]",
    r"\(expected (\d)\b",
    r"expected (\d), got \d\)", r"len\(dims\) = (\d)", r"must be (\d)-?[dD]", r"(\d)D (?:input|tensor) expected",
    r"should be (\d)-?[dD]", r"expects? (?:a )?(\d)-?[dD]", r"needs (?:a )?(\d)-?[dD]",
    r"(?:should|must) have (\d) dim",
)  # fmt: skip
_RANKS = re.compile(r"[Ee]xpected (\d)(?:-?[dD]\b| dims)[^\d]*(?:got|Received) (\d)(?:-?[dD]\b)?")
"""How many dims there have to be, and how many there were."""
_LOOKED_UP = re.compile(r"\b([A-Za-z_][\w.]*)\[\s*\w+\.(?:ndim|dim\(\))\s*\]")


def known_ranks(attempt: Attempt) -> List[int]:
    """Those; none where something else failed."""
    paths = _LOOKED_UP.findall(attempt.last_text()) if isinstance(attempt.error, KeyError) else []
    tables = (attempt.last_value(path) for path in paths)
    return [key for table in tables if isinstance(table, dict) for key in table if type(key) is int]


def of_other_rank(attempt: Attempt, inputs: Inputs, tensors: Tensors) -> Iterator[Inputs]:
    """Inputs of those ranks, each and all of them."""
    message, ranks = attempt.message, known_ranks(attempt)
    ranks += [int(match[1]) for pattern in _RANK if (match := re.search(pattern, message))]
    if "supposed to be a vector" in message:
        ranks.append(1)
    if padding := re.search(r"Padding size (\d+) is not supported", message):  # two for each dim after the channels
        ranks.append(int(padding[1]) // 2 + 2)
    more = re.search(r"Dimension out of range \(expected to be in range of \[-(\d), .*but got (-?\d+)", message)
    if more:
        wanted = int(more[2])
        ranks.append(wanted + 1 if wanted >= 0 else -wanted)
    for rank in sorted({rank for rank in ranks if rank <= 6}, key=ranks.index):
        yield from each(inputs, tensors, lambda t, rank=rank: of_rank(t, rank))
        yield everywhere(inputs, tensors, lambda t, rank=rank: of_rank(t, rank))
    steps = [int(wanted) - int(had) for wanted, had in _RANKS.findall(message)]
    for step in steps:
        yield everywhere(inputs, tensors, lambda t, step=step: of_rank(t, max(len(t.shape) + step, 1)))
    if steps or re.search(r"[Dd]im|rank|shape|unpack|size|axes|index", message):
        for step in dict.fromkeys((*steps, 1, -1, 2)):
            yield from each(inputs, tensors, lambda t, step=step: of_rank(t, max(len(t.shape) + step, 1)))
