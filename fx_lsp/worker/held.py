"""Requests that nobody looks at wait while what an earlier run has read is made ready: it is done once, not in each."""

from __future__ import annotations

import time
from collections import deque
from typing import Deque, Iterator, Tuple

from fx_lsp.worker.offspring import Order

LONGEST = 10.0
"""Seconds that one waits at most: whoever asked gives up some time after the time limit of the run."""


class Held:
    """In the order in which they came."""

    def __init__(self) -> None:
        self._waiting: Deque[Tuple[float, Order]] = deque()

    def add(self, order: Order) -> None:
        """One more; its time does not count yet."""
        self._waiting.append((time.monotonic() + LONGEST, order))

    def due(self, ready: bool) -> Iterator[Order]:
        """Those that wait no longer: all of them when everything is `ready`."""
        while self._waiting and (ready or time.monotonic() >= self._waiting[0][0]):
            yield self._waiting.popleft()[1]

    def cancelled(self, number: int) -> bool:
        """Forget one; whether it was there."""
        before = len(self._waiting)
        self._waiting = deque(one for one in self._waiting if one[1].id != number)
        return len(self._waiting) < before
