"""A limit of wall-clock time for a body, where the system has alarms."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import Iterator, Type

SHARE = 0.85
"""Part of the time limit that the run may use; the rest is for sending what it saw."""
FURTHER_SHARE = 0.4
"""Part of the time limit after which no further example is begun."""
SEARCH_SHARE = 0.7
"""Part of the time limit in which a search looks for more; what it runs then takes a moment to end."""

AGAIN = 1.0
"""Seconds after which it is raised once more: what is raised while an object is being deleted is lost."""


@contextmanager
def limited(seconds: float, error: Type[BaseException]) -> Iterator[None]:
    """Raise `error` in the body after so many seconds, more than none."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(signum: int, frame: object) -> None:
        raise error

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
