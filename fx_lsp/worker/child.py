"""A forked child: takes its place, waits for one request, answers it, ends."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import traceback
from typing import NoReturn, Tuple

from fx_lsp.model import wire
from fx_lsp.model.messages import Ready, Warm
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.worker import processes
from fx_lsp.worker.answer import Task, serve
from fx_lsp.worker.frames import write_all
from fx_lsp.worker.sandbox.descriptors import close_above

RESULT, REQUEST = 3, 4
"""The only descriptors a child has beyond the three standard ones, and the second one only until it has its request."""

_ABOVE = 16
"""Copies go here first, so that none is overwritten before it has been copied."""


def live(task: Task, request: int, result: int, log: int, parent: int) -> NoReturn:
    """Everything a child does.  To be called right after the fork; never returns, whatever user code does."""
    leave = os._exit  # user code may replace it
    try:
        os.setsid()
        processes.tie_to(parent)
        _take_descriptors(request, result, log)
        _reset_signals()
        serve(task, REQUEST, RESULT, _ready, lambda: _get_warm(task))
    except BaseException:  # no answer is an answer too, and the log says why
        traceback.print_exc()
    finally:
        leave(0)


def _ready(layers: Tuple[LayerReport, ...]) -> bytes:
    return wire.frame(wire.encode(Ready(layers)))


def _get_warm(task: Task) -> None:
    """Use the time until there is a request."""
    if not _asked():
        task.touch(_asked)
        write_all(RESULT, wire.frame(wire.encode(Warm())))


def _asked() -> bool:
    return bool(select.select([REQUEST], [], [], 0)[0])


def _take_descriptors(request: int, result: int, log: int) -> None:
    """Nothing on stdin, both outputs to the log, our two pipes; and nothing of the zygote's stays open."""
    null = os.open(os.devnull, os.O_RDONLY)
    copies = [fcntl.fcntl(fd, fcntl.F_DUPFD, _ABOVE) for fd in (null, log, log, result, request)]
    for place, copy in enumerate(copies):
        os.dup2(copy, place, inheritable=place < RESULT)
    close_above(REQUEST)


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
