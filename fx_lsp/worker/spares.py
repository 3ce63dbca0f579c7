"""Children forked ahead: they wait, already held to the policy, for the one request that each will get."""

from __future__ import annotations

import sys
import time
from typing import Callable, Dict, List, NamedTuple, Optional

from fx_lsp.model.messages import Ahead
from fx_lsp.worker.offspring import MAX_TRIES, Child, File, Order

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


BREATH = 0.1
"""Seconds without a run after which one imports ahead: an edit makes several."""


class Wanted(NamedTuple):
    """What one of them is to import ahead."""

    file: File
    frame: bytes
    """As the server sent it."""
    seconds: float


class Spares:
    """Which children wait, and which of them have what the zygote has now."""

    def __init__(
        self,
        fork: Callable[[], Child],
        version: Callable[[], int],
        children: Dict[int, Child],
        prepared: Callable[[], float],
    ) -> None:
        """`version` grows whenever a new child would have more than an old one.  `children` are all that there
        are.  `prepared` says how many seconds it took to make ready what a new child has.
        `fork` raises OSError."""
        self._fork, self._version, self._children, self._prepared = fork, version, children, prepared
        self._waiting: Dict[Child, int] = {}
        self._barren = 0
        self._next = self._calm = self._rest = self._breath = 0.0
        self._wanted: Optional[Wanted] = None
        self._vain: Optional[Wanted] = None
        """What could not be imported: it is not tried again as it is."""

    def give(self, order: Order, *, current: bool = False) -> Child:
        """Hand the request to a warm spare, or to the one that is about to be warm: it sees the request and leaves off.

        `current`: not to one that lacks what took long to make ready, and would do that again.

        Raises:
            OSError: there is no spare, and no process could be started.
        """
        for child in [one for one in self._plain() if current and self._prepared() - one.prepared > LACKING]:
            del self._waiting[child]
            child.kill()
        newest = max(self._plain(), key=lambda child: (child.warm, self._waiting[child]), default=None)
        child = self._imported(order.file) or newest or self._fork()
        self._waiting.pop(child, None)
        child.give(order)
        self._calm = time.monotonic() + (CALM if any(one.warm for one in self._waiting) else SHORT)
        return child

    def _plain(self) -> List[Child]:
        """Those that have imported nothing."""
        return [child for child in self._waiting if child.ahead is None and not child.killed]

    def _imported(self, file: Optional[File]) -> Optional[Child]:
        found = (child for child in self._waiting if child.ahead == file and child.rests and not child.killed)
        return next(found, None) if file is not None else None

    def want(self, ahead: Ahead, frame: bytes) -> None:
        """One is to import that ahead; what another file needed is let go."""
        wanted = Wanted((ahead.root, ahead.scope), frame, ahead.seconds)
        for child in [one for one in self._waiting if one.ahead not in (None, wanted.file)]:
            del self._waiting[child]
            child.kill()
        self._wanted = wanted if wanted != self._vain else None

    @property
    def due(self) -> float:
        """When there is something to do."""
        return min(self._fork_due(), self._ahead_due())

    def _fork_due(self) -> float:
        """When one is to be forked."""
        plain = self._plain()
        running = sum(not one.killed for one in self._children.values() if one not in self._waiting)
        if running + len(plain) >= MOST or not all(child.warm for child in self._waiting):
            return float("inf")  # two that get warm at the same time take twice as long until the first one is
        if len(plain) < KEPT:
            return max(self._next, self._calm)
        outdated = len(plain) == KEPT and min(self._waiting[one] for one in plain) != self._version()
        return max(self._next, self._calm, self._rest) if outdated else float("inf")

    def _ahead_due(self) -> float:
        """When one is to import ahead: one that has what makes that quick, while nothing runs."""
        looked_at = any(one.order and not one.order.patient for one in self._children.values())
        busy = looked_at or any(one.ahead or not one.warm for one in self._waiting)
        ready = any(self._waiting[one] == self._version() for one in self._plain())
        return self._breath if self._wanted is not None and ready and not busy else float("inf")

    def refill(self) -> bool:
        """Fork one child if one is missing; whether it was.  When there is nothing better to do."""
        return len(self._plain()) < KEPT and time.monotonic() >= self._fork_due() and self._add()

    def renew(self) -> bool:
        """Replace one child that is out of date, once the new one is warm; whether anything was done for that.  When
        there is nothing better to do."""
        plain = self._plain()
        if len(plain) <= KEPT:
            return time.monotonic() >= self._fork_due() and self._add()
        newest = max(plain, key=lambda child: self._waiting[child])
        if newest.warm:
            oldest = min(plain, key=lambda child: self._waiting[child])
            del self._waiting[oldest]
            oldest.kill()
        return newest.warm

    def import_ahead(self) -> bool:
        """Have one import what is wanted, if something is; whether it does.  When there is nothing better to do."""
        if self._wanted is None or time.monotonic() < self._ahead_due():
            return False
        max(self._plain(), key=lambda child: self._waiting[child]).import_ahead(*self._wanted)
        return True

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
            self._rest, self._breath = time.monotonic() + REST, time.monotonic() + BREATH
        elif child.ahead is not None and (child.reason or not child.killed):
            self._vain, self._wanted = self._wanted if not child.rests else None, None
        if child.layers is None and not child.killed:
            self._pause()
        order = child.order
        if order is None or child.taken or child.reason or order.tries + 1 >= MAX_TRIES:
            return None
        return order._replace(tries=order.tries + 1, file=None)
