"""Timers where there are no threads."""

from __future__ import annotations

import threading


def never_due() -> None:
    """A timer takes a thread.  Where none can be had it waits forever, which is what its owner is prepared for."""
    threading.Timer.start = _wait  # type: ignore[method-assign]


def _wait(timer: threading.Timer) -> None:
    """In place of `Timer.start`."""
