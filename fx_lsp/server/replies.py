"""From what the zygote relays to an answer: every way a trace can go wrong becomes a `Failure`."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
from typing import Any

from fx_lsp.model import wire
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import MAX_REPLY, Output, TraceReply, TraceRequest

OFF_LOOP = 256 << 10
"""Characters of a line from which on it is decoded in a thread."""


def failed(request: TraceRequest, stage: str, message: str, detail: str = "", log: str = "") -> TraceReply:
    """A reply that holds nothing but a failure, which says nothing about the user's code."""
    failure = Failure(stage=stage, message=message, detail=detail, proven=False)
    return TraceReply(id=request.id, failure=failure, log=log)


async def decode(line: bytes | str) -> Any:
    """As `wire.decode`, large lines in a thread.

    Raises:
        WireError: the line is not one of our messages.
    """
    if len(line) < OFF_LOOP:
        return wire.decode(line)
    return await asyncio.to_thread(wire.decode, line)


async def reply_of(output: Output, request: TraceRequest) -> TraceReply:
    """The child's reply, under the request's id whatever it says itself; or the failure that is there instead."""
    if output.reason == "timeout":
        return failed(request, "timeout", f"did not finish within {request.seconds:g} s", output.log, output.log)
    if output.reason == "oversized":
        message = f"the result is larger than {MAX_REPLY >> 20} MiB"
        return failed(request, "protocol", message, output.log, output.log)
    if output.reason:
        return failed(request, output.reason, f"the run was {output.reason}", output.log, output.log)
    if not output.line:
        return failed(request, "crash", _ending(output.status), output.log, output.log)
    try:
        reply = await decode(output.line)
    except wire.WireError as error:
        return failed(request, "protocol", f"the run gave an answer that cannot be read: {error}", log=output.log)
    if not isinstance(reply, TraceReply):
        return failed(request, "protocol", f"the run gave a {reply.kind} for an answer", log=output.log)
    return dataclasses.replace(reply, id=request.id, log=reply.log or output.log)


def _ending(status: int) -> str:
    """A wait status in words."""
    code = os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8
    if code >= 0:
        return f"the process of the run ended without an answer (exit status {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = ", perhaps because it used too much memory" if name == "SIGKILL" else ""
    return f"the process of the run was ended by {name}{hint}"
