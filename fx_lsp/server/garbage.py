"""Garbage is looked for where nobody waits.

What is known of a workspace is a million objects that live long.  Python's collector walks over all of them whenever
enough new ones have come, which takes 180 ms for a model of transformers, in the middle of an answer.  Here every full
collection leaves aside what it has walked over, and all of it is walked over again when the server has nothing to do.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

PAUSE = 3.0
"""Seconds without work after which there is time."""
GROWN = 1.25
"""As Python's own collector: not for less than a quarter more objects than there were."""
MOST = 100
"""Full collections after which it does not wait for a pause."""


class Collector:
    """Of this process."""

    def __init__(self) -> None:
        self._aside = self._collections = 0
        """Objects that were left aside after all of them had been walked over; collections since then."""
        self._later: asyncio.TimerHandle | None = None

    def install(self) -> None:
        """From here on."""
        gc.callbacks.append(self._leave_aside)
        self.collect()

    def remove(self) -> None:
        """The collector is Python's own again."""
        gc.callbacks.remove(self._leave_aside)
        gc.unfreeze()
        if self._later is not None:
            self._later.cancel()

    def rest(self, idle: Callable[[], bool]) -> None:
        """There is nothing to do; `idle` says later whether that is still so."""
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(PAUSE, self._look, idle)
        if self._collections > MOST:
            self.collect()

    def _look(self, idle: Callable[[], bool]) -> None:
        if self._collections and idle() and gc.get_freeze_count() > GROWN * self._aside:
            self.collect()

    def collect(self) -> None:
        """Walk over all there is."""
        gc.unfreeze()
        gc.collect()
        self._aside, self._collections = gc.get_freeze_count(), 0

    def _leave_aside(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "stop" and info["generation"] == 2:
            self._collections += 1
            gc.freeze()
