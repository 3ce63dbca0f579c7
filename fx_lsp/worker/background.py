"""Imports, and programs, where no thread can be had."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional


@contextmanager
def in_the_background() -> Iterator[None]:
    """Within the body a thread that cannot be had is left out: a package that looks for a newer version of itself while
    it is imported does not wait for the answer.  Who waits for the thread is told that it was never started.
    What a pool of threads is given is done at once, since its result is waited for."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit
    _do_without(lambda: False, lambda thread: None)
    try:
        yield
    finally:
        ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]
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
    _do_without(lambda: is_ours(sys._getframe(2).f_code.co_filename), left_out.append)


def _do_without(refused: Callable[[], bool], note: Callable[[threading.Thread], None]) -> None:
    """Threads that cannot be had are left out and noted, unless they are `refused`."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def started(thread: threading.Thread) -> None:
        try:
            start(thread)
        except RuntimeError:
            # Who asked for a result waits for it, and not for the thread.
            target = str(getattr(getattr(thread, "_target", None), "__module__", ""))
            if target.startswith("concurrent.") or refused():
                raise
            note(thread)

    def submitted(pool: ThreadPoolExecutor, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        try:
            return submit(pool, work, *args, **kwargs)
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise  # it was shut down
        return _done(work, *args, **kwargs)

    threading.Thread.start = started  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = submitted  # type: ignore[method-assign]


def _done(work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
    """What comes of it, whatever that is."""
    future: Future = Future()
    future.set_running_or_notify_cancel()
    try:
        future.set_result(work(*args, **kwargs))
    except BaseException as error:  # as a pool does: it is raised where the result is asked for
        future.set_exception(error)
    return future
