"""A worker for a single trace: says hello, waits for its request, answers, ends."""

from __future__ import annotations

import os
import sys

from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_REQUEST, Hello, TraceRequest
from fx_lsp.worker.answer import Run, answer


def serve_once(requests: int, replies: int, hello: Hello, run: Run) -> None:
    """Ends the process after the answer, whatever user code left running in it."""
    leave = os._exit
    os.write(replies, wire.encode(hello).encode("ascii") + b"\n")
    with open(requests, "rb") as channel:
        line = channel.readline(MAX_REQUEST + 1)
    if not line:
        return
    request = wire.decode(line)
    if not isinstance(request, TraceRequest):
        print(f"fx-lsp: not a trace: {request.kind}", file=sys.stderr)
        return
    try:
        answer(request, run, replies)
    finally:
        leave(0)
