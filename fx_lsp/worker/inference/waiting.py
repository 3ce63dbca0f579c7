"""Arguments that wait for their turn, the most promising first."""

from __future__ import annotations

import heapq
import itertools
from typing import FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from fx_lsp.worker.inference.corrections import Arguments

Absent = FrozenSet[Tuple[str, str]]
"""What was asked for on the way."""
_AT_ONCE = 3
"""So many changes of one attempt count as one step."""


class Turn(NamedTuple):
    """What is tried next, the steps that led to it, and what was asked for until then."""

    given: Arguments
    depth: int
    absent: Absent


class Waiting:
    """By how far the attempt got that they are to mend, by what that asked for, and by the steps from the first one."""

    def __init__(self) -> None:
        self._heap: List[Tuple[Tuple[int, ...], int, int, int, int, Iterator[Arguments], Absent]] = []
        self._order = itertools.count()
        self._seen: Set[Tuple[Tuple[str, str], ...]] = set()

    def add(self, reached: Tuple[int, ...], depth: int, changes: Iterator[Arguments], absent: Absent) -> None:
        """Each of the changes is asked for when its turn has come: for some of them other classes are built."""
        heapq.heappush(self._heap, (reached, -len(absent), depth, next(self._order), 0, changes, absent))

    def next(self) -> Optional[Turn]:
        """What was not tried yet; None when nothing is left."""
        while self._heap:
            reached, lacking, depth, _, number, changes, absent = heapq.heappop(self._heap)
            given = next(changes, None)
            if given is None:
                continue
            later = depth + (number % _AT_ONCE == _AT_ONCE - 1)
            entry = (reached, lacking, later, next(self._order), number + 1, changes, absent)
            heapq.heappush(self._heap, entry)
            if (key := tuple(given.items())) not in self._seen:
                self._seen.add(key)
                return Turn(given, depth, absent)
        return None
