"""Threads: how many there are, how one starts no other, and what becomes of timers where there can be no more."""

from __future__ import annotations

import os
import threading
import time
from typing import Callable

from fx_lsp.worker.sandbox import _seccomp

_GONE_SECONDS = 1.0
"""How long to wait for a thread to be gone that has ended."""


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


def alone(work: Callable[[], object]) -> None:
    """Do `work` in a thread that can start no other, where the system can do that.  The thread is gone afterwards."""
    before = count()

    def run() -> None:
        if not _seccomp.available():
            _seccomp.install(_seccomp.lone_filter(_seccomp.machine()), flags=0)
        work()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    deadline = time.monotonic() + _GONE_SECONDS  # Python is done with it before the system is
    while count() > before and time.monotonic() < deadline:
        time.sleep(0.001)
