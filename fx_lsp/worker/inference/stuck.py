"""Where a run failed, what is wrong there, and whether another run has the same wrong with it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Tuple

from fx_lsp.worker.inference.attempts import Attempt, TooLong
from fx_lsp.worker.inference.mismatches import SPLIT, mismatches
from fx_lsp.worker.inference.solving import Place, met, place_of

Pairs = Tuple[Tuple[int, int], ...]

_NUMBER = re.compile(r"(?<![A-Za-z_])\d+|(?<=\dx)\d+")
"""Not those of names, as in "mat1 and mat2"."""
RANKS = re.compile(
    r"\b\dD\b|number of (?:spatial )?dimensions|-dimensional|too many indices|Dimension out of range|[dD]imensions of"
    r"|expected \d+ dims|has no dimensions"
)
"""Of messages: what is wrong is how many dims there are, and no size."""
STRIDED = re.compile("view size is not compatible with input tensor|Cannot view a tensor with shape")
"""Of messages: what is wrong is where in memory the numbers lie, and no size."""
_DIM = re.compile(r"Dimension out of range .* but got (-?\d+)")
"""Which dim was asked for; an argument may say."""
_VIEW = re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)")
_BATCHES = re.compile(r"first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\] but got: \[(\d+), (\d+)\]")
PLACE = re.compile(r"index (\d+) is out of bounds for dimension \d+ with size (\d+)")
_MET = (
    PLACE,
    re.compile(r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)"),
    re.compile(r"has size (\d+) for operand .*previously seen size (\d+)"),
    re.compile(
        r"reduction dim, but got \[\d+, (\d+)\] X \[(\d+), \d+\]|cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)"
    ),
    re.compile(r"equal to input_size\. Expected (\d+), got (\d+)"),
    re.compile(r"Shape mismatch, (\d+) != (\d+)"),  # of einops
)


MAX_COUNT = 8
"""Members that a list of tensors or of sizes may have been meant to have."""


@dataclass(frozen=True)
class Stuck:
    """Where it failed, and what is wrong there."""

    place: Place
    operations: int
    said: str
    """The message without its numbers; where sizes are known that differ, its kind alone."""
    pairs: Pairs
    """Sizes that differ."""
    numbers: Tuple[str, ...]
    """Of the message, where no two sizes are known."""
    over_dims: bool = False
    """Whether it is about how many dims there are."""

    def goes_on(self, other: Attempt) -> bool:
        """Whether another run got past it, or would perhaps."""
        if other.error is None or isinstance(other.error, TooLong):
            return True
        return place_of(other) != self.place and other.watch.operations > self.operations

    def is_passed(self, other: Attempt) -> bool:
        """Whether another run, of tensors with more dims or fewer, goes on; or fails there over the sizes, where this
        one does over how many dims there are."""
        return self.goes_on(other) or (self.over_dims and self.is_at(other) and not stuck(other).over_dims)

    def is_at(self, other: Attempt) -> bool:
        """Whether another run failed at the same place, and not in an earlier round of a loop."""
        here = other.error is not None and place_of(other) == self.place
        return here and (other.watch.operations >= self.operations or self.is_the_same(other))

    def is_the_same(self, other: Attempt, changed: Pairs = ()) -> bool:
        """Whether as much is wrong there in another run: sizes that differ by as much, or in the same proportion; by a
        factor that grows with a number that was `changed`, and is none for 1 at most, or by some times that number."""
        now = stuck(other)
        if now.said != self.said or now.numbers != self.numbers or len(now.pairs) != len(self.pairs):
            return False
        return all(_are_alike(one, pair, changed) for one, pair in zip(self.pairs, now.pairs))

    def is_of_another_count(self, count: int) -> bool:
        """Whether a size is what so many make together, and the other one what some other number of them would."""
        return count > 1 and any(
            many % count == 0 and wanted % (many // count) == 0 and 1 < wanted // (many // count) <= MAX_COUNT
            for pair in self.pairs
            for many, wanted in (pair, pair[::-1])
            if 0 not in pair
        )

    def is_held(self, other: Attempt, changed: Pairs) -> bool:
        """Whether another run failed sooner, where the number that was changed had to be what it was."""
        sooner = other.error is not None and other.watch.operations < self.operations
        return sooner and any({*one} == {*pair} for one in changed for pair in stuck(other).pairs)


def _are_alike(one: Tuple[int, int], other: Tuple[int, int], changed: Pairs) -> bool:
    (a, b), (c, d) = one, other
    by_number = any(
        few * old <= many and many * less * new == more * few * old
        for old, new in changed
        for few, many, less, more in ((a, b, c, d), (b, a, d, c))
    )
    by_as_many = any((a - b) % old == 0 and (a - b) * new == (c - d) * old for old, new in changed)
    return by_number or by_as_many or a - b == c - d or a * d == b * c


def stuck(attempt: Attempt) -> Stuck:
    """What is known of a failure."""
    pairs, said = _pairs(attempt), type(attempt.error).__name__
    numbers: Tuple[str, ...] = ()
    if not pairs:
        said = _NUMBER.sub("#", attempt.message)
        every, dim = tuple(_NUMBER.findall(attempt.message)), _DIM.search(attempt.message)
        of_none = RANKS.search(attempt.message) or STRIDED.search(attempt.message)
        numbers = dim.groups() if dim is not None else () if of_none else every
    over_dims = not pairs and RANKS.search(attempt.message) is not None
    return Stuck(place_of(attempt), attempt.watch.operations, said, pairs, numbers, over_dims)


def _pairs(attempt: Attempt) -> Pairs:
    """Sizes that had to be equal and are not, where these are known; else all that met and differ."""
    if view := _VIEW.search(attempt.message):
        asked = (size for size in map(int, view[1].split(",")) if size > 0)
        return ((math.prod(asked), int(view[2])),)
    if split := SPLIT.search(attempt.message):
        return ((int(split[1]), sum(map(int, split[2].split(",")))),)
    if batches := _BATCHES.search(attempt.message):
        wanted, got = batches.groups()[:2], batches.groups()[2:]
        return tuple((int(one), int(other)) for one, other in zip(wanted, got) if one != other)
    found = next((match for pattern in _MET if (match := pattern.search(attempt.message))), None)
    if found is not None:
        one, other = (int(size) for size in found.groups() if size is not None)
        return ((one, other),)
    if RANKS.search(attempt.message):
        return ()
    apart = tuple(pair for pair in met(attempt).values() if pair[0] != pair[1])
    return apart or (tuple(mismatches(attempt)) if _NUMBER.search(attempt.message) else ())
