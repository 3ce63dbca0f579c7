"""Imports, and programs, where no thread can be had."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import Callable, Iterator, List, Optional


@contextmanager
def in_the_background() -> Iterator[None]:
    """Within the body a thread that cannot be had is left out: a package that looks for a newer version of itself while
    it is imported does not wait for the answer.  Who waits for the thread is told that it was never started."""
    start = threading.Thread.start
    threading.Thread.start = _if_it_can_be(start, lambda: False)  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]


def never_in_company(is_ours: Callable[[str], bool]) -> None:
    """For the life of the process packages do without the threads that send their logs; code for which `is_ours` holds
    is told that it cannot have one.  Nothing waits for what none will do."""
    wait = threading.Condition.wait
    left_out: List[threading.Thread] = []

    def waited(condition: threading.Condition, timeout: Optional[float] = None) -> bool:
        if timeout is None and left_out and threading.active_count() == 1:
            raise RuntimeError(f"can't start new thread: {left_out[-1].name}")
        return wait(condition, timeout)

    threading.Condition.wait = waited  # type: ignore[method-assign]
    threading.Thread.start = _if_it_can_be(  # type: ignore[method-assign]
        threading.Thread.start, lambda: is_ours(sys._getframe(2).f_code.co_filename), left_out.append
    )


def _if_it_can_be(
    start: Callable[[threading.Thread], None],
    refused: Callable[[], bool],
    note: Callable[[threading.Thread], None] = lambda thread: None,
) -> Callable[[threading.Thread], None]:
    def started(thread: threading.Thread) -> None:
        try:
            start(thread)
        except RuntimeError:
            # Who asked for a result waits for it, and not for the thread.
            target = str(getattr(getattr(thread, "_target", None), "__module__", ""))
            if target.startswith("concurrent.") or refused():
                raise
            note(thread)

    return started
