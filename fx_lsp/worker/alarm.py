"""A limit of wall-clock time for a body, where the system has alarms."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, Optional, Type

SHARE = 0.85
"""Part of the time limit that the run may use; the rest is for sending what it saw."""
FURTHER_SHARE = 0.4
"""Part of the time limit after which no further example is begun."""
SEARCH_SHARE = 0.7
"""Part of the time limit in which a search looks for more; what it runs then takes a moment to end."""

AGAIN = 1.0
"""Seconds after which it is raised once more: what is raised while an object is being deleted is lost."""
SOON = 0.002
"""Seconds after which it is tried again to raise it, where that cannot be borne."""
_MODES = tuple(
    os.path.join("torch", *parts)
    for parts in (("_subclasses", ""), ("utils", "_python_dispatch.py"), ("overrides.py",))
)
"""Code that takes modes off their stack and puts them back.  What is raised in the middle of that leaves them where
they do not belong, and the C++ code that called it then ends the process: it finds one where it puts its own back."""


@contextmanager
def limited(seconds: float, error: Type[BaseException]) -> Iterator[None]:
    """Raise `error` in the body after so many seconds, more than none."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    due = time.monotonic() + seconds

    def ring(signum: int, frame: Optional[FrameType]) -> None:
        if _is_changing_modes(frame) and time.monotonic() < due + AGAIN:
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
        else:
            raise error

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _is_changing_modes(frame: Optional[FrameType]) -> bool:
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in _MODES):
            return True
        frame = frame.f_back
    return False
