"""A limit of wall-clock time for a body, where the system has alarms."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, Optional, Type

import torch

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
_KERNELS = os.path.join("torch", "_subclasses", "")
_CHANGING = frozenset({"__enter__", "__exit__", "_push_mode", "_pop_mode", "_pop_mode_temporarily"})
_MODES = (os.path.join("torch", "utils", "_python_dispatch.py"), os.path.join("torch", "overrides.py"))


class _State:
    """Of the body that runs."""

    modes = 0
    """How many modes of torch it is in."""
    due: Optional[Type[BaseException]] = None
    """What is to be raised at the next place that can bear it."""


def is_late() -> bool:
    """Whether the time was over where nothing could be raised, and nothing was since."""
    return _State.due is not None


def check() -> None:
    """Raises what could not be raised when the time was over; for what a kernel calls and may fail itself."""
    due, _State.due = _State.due, None
    if due is not None:
        raise due


@contextmanager
def within_modes() -> Iterator[None]:
    """The body runs in the modes of torch that are on now: where there are fewer, a kernel has taken them off."""
    before, _State.modes = _State.modes, torch._C._len_torch_dispatch_stack()
    try:
        yield
    finally:
        _State.modes = before


@contextmanager
def limited(seconds: float, error: Type[BaseException]) -> Iterator[None]:
    """Raise `error` in the body after so many seconds, more than none."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    due = time.monotonic() + seconds

    def ring(signum: int, frame: Optional[FrameType]) -> None:
        if _is_no_time(frame) and time.monotonic() < due + AGAIN:
            _State.due = error
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
        else:
            _State.due = None
            raise error

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        _State.due = None


def _is_no_time(frame: Optional[FrameType]) -> bool:
    """Whether what is raised now would do harm, or be lost.

    Code that takes modes off their stack and puts them back would leave them where they do not belong; the C++ code
    that called it, or that is about to, ends the process then: it finds one where it puts its own back.  What is raised
    while an object is deleted is printed, and nothing else.
    """
    if torch._C._len_torch_dispatch_stack() < _State.modes:
        return True
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if _KERNELS in file or (name in _CHANGING and file.endswith(_MODES)):
            return True
        if name == "__del__" or (name == "remove" and file.endswith("weakref.py")):
            return True
        frame = frame.f_back
    return False
