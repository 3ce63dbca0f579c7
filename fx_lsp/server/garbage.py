"""Garbage is looked for where nobody waits.

What is known of a workspace is a million objects that live long.  Python's collector walks over all of them whenever
enough new ones have come, which takes 180 ms for a model of transformers, in the middle of an answer.  Here that is
done when there is nothing else to do, and mostly for what is new: the rest is left aside.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

PAUSE = 3.0
"""Seconds without work after which there is time for everything."""
LULL = 30.0
"""Seconds until the next look when nothing went on since the last one."""
GROWN = 1.25
"""As Python's own collector: not for less than a quarter more objects than there were."""
MOST = 100
"""Collections of what is new after which everything does not wait for a pause."""
NEVER = 1 << 30


class Collector:
    """Of this process."""

    def __init__(self) -> None:
        self._aside = self._collections = 0
        """Objects that were left aside after all of them had been walked over; collections since then."""
        self._thresholds = gc.get_threshold()
        self._counted = gc.get_count()[1:]
        """Collections of the younger generations, when that was last asked."""
        self._later: asyncio.TimerHandle | None = None

    def install(self) -> None:
        """From here on."""
        gc.set_threshold(*self._thresholds[:2], NEVER)
        self._everything()

    def remove(self) -> None:
        """The collector is Python's own again."""
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()
        if self._later is not None:
            self._later.cancel()

    def rest(self, idle: Callable[[], bool]) -> None:
        """There is nothing to do; `idle` says later whether that is still so."""
        self._what_is_new()
        if self._collections > MOST:
            self._everything()
        self._look_later(idle, PAUSE)

    def _look_later(self, idle: Callable[[], bool], seconds: float) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(seconds, self._look, idle)

    def _look(self, idle: Callable[[], bool]) -> None:
        """Again and again: what is run ahead of time, for one, makes garbage too."""
        self._what_is_new()
        if self._collections and idle() and gc.get_freeze_count() > GROWN * self._aside:
            self._everything()
        before, self._counted = self._counted, gc.get_count()[1:]
        self._look_later(idle, PAUSE if self._counted != before else LULL)

    def _what_is_new(self) -> None:
        if gc.get_count()[2] > self._thresholds[2]:
            gc.collect()
            gc.freeze()
            self._collections += 1

    def _everything(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._aside, self._collections = gc.get_freeze_count(), 0
