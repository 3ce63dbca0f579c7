"""A forked child: takes its place, answers one request, ends."""

from __future__ import annotations

import fcntl
import os
import signal
import traceback
from typing import NoReturn

from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import sandbox
from fx_lsp.worker.answer import Run, answer

RESULT = 3
"""The only descriptor a child has beyond the three standard ones."""

_ABOVE = 16
"""Copies go here first, so that none is overwritten before it has been copied."""


def live(request: TraceRequest, run: Run, result: int, log: int, parent: int) -> NoReturn:
    """Everything a child does.  To be called right after the fork; never returns, whatever user code does."""
    leave = os._exit  # user code may replace it
    try:
        os.setsid()
        sandbox.tie_to(parent)
        _take_descriptors(result, log)
        _reset_signals()
        answer(request, run, RESULT)
    except BaseException:  # no answer is an answer too, and the log says why
        traceback.print_exc()
    finally:
        leave(0)


def _take_descriptors(result: int, log: int) -> None:
    """Nothing on stdin, both outputs to the log, the result's pipe; and nothing of the zygote's stays open."""
    null = os.open(os.devnull, os.O_RDONLY)
    copies = [fcntl.fcntl(fd, fcntl.F_DUPFD, _ABOVE) for fd in (null, log, log, result)]
    for place, copy in enumerate(copies):
        os.dup2(copy, place, inheritable=place != RESULT)
    os.closerange(RESULT + 1, _highest_descriptor() + 1)


def _highest_descriptor() -> int:
    try:
        return max(map(int, os.listdir("/dev/fd")))
    except OSError:
        return 4096


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
