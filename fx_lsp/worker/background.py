"""Imports where no thread can be had."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def in_the_background() -> Iterator[None]:
    """Within the body a thread that cannot be had is left out: a package that looks for a newer version of itself while
    it is imported does not wait for the answer.  Who waits for the thread is told that it was never started."""
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        try:
            start(thread)
        except RuntimeError:
            if str(getattr(getattr(thread, "_target", None), "__module__", "")).startswith("concurrent."):
                raise  # who asked for a result waits for it, and not for the thread

    threading.Thread.start = started  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]
