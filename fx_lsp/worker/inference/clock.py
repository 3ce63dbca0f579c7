"""The time that a search may take: of the processor, so that what else the machine does decides nothing."""

from __future__ import annotations

import math
import time

MOST = 3.0
"""Seconds that pass for one of the processor, at most: what waits for something else is not waited for."""
_ENOUGH = 0.3
"""Seconds of the processor after which the two can be compared."""


class Clock:
    """Counts seconds of the processor until so many have passed on the wall; from then on every deadline is over."""

    def __init__(self, seconds: float) -> None:
        self._began, self._used = time.monotonic(), time.process_time()
        self._end = self._began + seconds

    def now(self) -> float:
        """To be compared with deadlines."""
        return time.process_time() if time.monotonic() < self._end else math.inf

    def left(self) -> float:
        """Seconds of the processor until the end, going on at this pace."""
        return (self._end - time.monotonic()) / self.pace()

    def limit(self, seconds: float, least: float) -> float:
        """Seconds on the wall for so many of the processor, as far as there is time."""
        return min(seconds * self.pace(), max(self._end - time.monotonic(), least))

    def pace(self) -> float:
        """Seconds that pass for one of the processor."""
        used = time.process_time() - self._used
        return min(max((time.monotonic() - self._began) / used, 1.0), MOST) if used > _ENOUGH else 1.0
