"""Children forked ahead: they wait, already held to the policy, for the one request that each will get."""

from __future__ import annotations

import sys
import time
from typing import Callable, Dict, Optional

from fx_lsp.worker.offspring import MAX_TRIES, Child, Order

KEPT = 2
"""As many as run at the same time."""
MOST = 3
"""Children at once, those included that run: while two do, one waits."""
CALM = 1.0
"""Seconds that a run has to itself before another child is forked in the place of its own, while one is warm."""
SHORT = 0.25
"""When none is."""
LACKING = 0.2
"""Seconds of work that a spare lacks, and that are more than it takes to fork another."""
REST = 1.0
"""Seconds without a run after which those that are out of date are replaced: who types runs something else at once."""
LONGEST_PAUSE = 30.0
"""Seconds until another is forked, when one after the other ends before it is ready."""


class Spares:
    """Which children wait, and which of them have what the zygote has now."""

    def __init__(
        self,
        fork: Callable[[], Child],
        version: Callable[[], int],
        alive: Callable[[], int],
        prepared: Callable[[], float],
    ) -> None:
        """`version` grows whenever a new child would have more than an old one.  `alive` says how many children there
        are that were not told to end.  `prepared` says how many seconds it took to make ready what a new child has.
        `fork` raises OSError."""
        self._fork, self._version, self._alive, self._prepared = fork, version, alive, prepared
        self._waiting: Dict[Child, int] = {}
        self._barren = 0
        self._next = self._calm = self._rest = 0.0

    def give(self, order: Order, *, current: bool = False) -> Child:
        """Hand the request to a warm spare, or to the one that is about to be warm: it sees the request and leaves off.

        `current`: not to one that lacks what took long to make ready, and would do that again.

        Raises:
            OSError: there is no spare, and no process could be started.
        """
        for child in [one for one in self._waiting if current and self._prepared() - one.prepared > LACKING]:
            del self._waiting[child]
            child.kill()
        waiting = [child for child in self._waiting if not child.killed]
        child = max(waiting, key=lambda child: (child.warm, self._waiting[child])) if waiting else self._fork()
        self._waiting.pop(child, None)
        child.give(order)
        self._calm = time.monotonic() + (CALM if any(one.warm for one in self._waiting) else SHORT)
        return child

    @property
    def due(self) -> float:
        """When one is to be forked."""
        if self._alive() >= MOST or not all(child.warm for child in self._waiting):
            return float("inf")  # two that get warm at the same time take twice as long until the first one is
        if len(self._waiting) < KEPT:
            return max(self._next, self._calm)
        outdated = len(self._waiting) == KEPT and min(self._waiting.values()) != self._version()
        return max(self._next, self._calm, self._rest) if outdated else float("inf")

    def refill(self) -> bool:
        """Fork one child if one is missing; whether it was.  When there is nothing better to do."""
        return len(self._waiting) < KEPT and time.monotonic() >= self.due and self._add()

    def renew(self) -> bool:
        """Replace one child that is out of date, once the new one is warm; whether anything was done for that.  When
        there is nothing better to do."""
        if len(self._waiting) <= KEPT:
            return time.monotonic() >= self.due and self._add()
        newest = max(self._waiting, key=lambda child: self._waiting[child])
        if newest.warm:
            oldest = min(self._waiting, key=lambda child: self._waiting[child])
            del self._waiting[oldest]
            oldest.kill()
        return newest.warm

    def _add(self) -> bool:
        try:
            child = self._fork()
        except OSError as error:  # there may be room again when one is needed
            print(f"fx-lsp: no process could be started ahead: {error}", file=sys.stderr)
            self._pause()
            return False
        self._waiting[child] = self._version()
        return True

    def _pause(self) -> None:
        """Longer and longer."""
        self._barren += 1
        self._next = time.monotonic() + min(0.05 * 2.0 ** min(self._barren, 20), LONGEST_PAUSE)

    def ready(self, child: Child) -> None:
        """A child came as far as to be confined; said once or more."""
        if not child.noted:
            child.noted = True
            self._barren, self._next = 0, 0.0

    def ended(self, child: Child) -> Optional[Order]:
        """A child ended: what is to be given to another, because it never took it."""
        self._waiting.pop(child, None)
        if child.reply is not None or child.order is not None:  # a run is over by itself
            self._calm = 0.0
            self._rest = time.monotonic() + REST
        if child.layers is None and not child.killed:
            self._pause()
        order = child.order
        if order is None or child.taken or child.reason or order.tries + 1 >= MAX_TRIES:
            return None
        return order._replace(tries=order.tries + 1)
