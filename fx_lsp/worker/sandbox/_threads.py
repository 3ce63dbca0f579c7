"""Threads: how many there are, and what becomes of timers where there can be no more of them."""

from __future__ import annotations

import os
import threading


def count() -> int:
    """Threads of this process, those that libraries started included where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def timers_never_due() -> None:
    """A timer takes a thread.  Where none can be had it waits forever, which is what its owner is prepared for."""
    threading.Timer.start = _wait  # type: ignore[method-assign]


def _wait(timer: threading.Timer) -> None:
    """In place of `Timer.start`."""
