"""What every process that runs user code does: fresh standard streams, one request, one line, and nothing else."""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
from typing import Callable, TextIO

from fx_lsp.model import wire
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.worker import sandbox

Run = Callable[[TraceRequest], TraceReply]


def answer(request: TraceRequest, run: Run, result: int) -> None:
    """Run the request and write its reply to `result`; an exception from the run becomes a failure."""
    write, encode = os.write, wire.encode  # user code may replace them
    _prepare(request)
    out, error_out = sys.stdout, sys.stderr
    try:
        reply = run(request)
    except BaseException as error:  # an interrupt that came when the run was over, or a mistake of ours
        name = type(error).__name__
        failure = Failure("trace", f"{name}: {error}", error=name, detail=traceback.format_exc(), proven=False)
        reply = TraceReply(request.id, failure=failure)
    for stream in (out, error_out):
        _flush(stream)
    line = memoryview(encode(reply).encode("ascii") + b"\n")
    while line:
        line = line[write(result, line) :]


def _prepare(request: TraceRequest) -> None:
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = _printer(1)
    sys.stderr = sys.__stderr__ = _printer(2)
    faulthandler.enable(sys.stderr)
    sys.argv[:] = [request.scope]
    try:
        os.chdir(request.root)
    except OSError as error:
        print(f"fx-lsp: cannot work in {request.root}: {error}", file=sys.stderr)
    sandbox.restrict_child(request)


def _printer(fd: int) -> TextIO:
    """What was printed before a crash must be in the log, so nothing waits for a full buffer."""
    return open(fd, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def _flush(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):  # user code closed it: then there is nobody left to tell either
        return
