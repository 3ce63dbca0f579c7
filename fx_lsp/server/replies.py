"""From what the zygote relays to an answer: every way a trace can go wrong becomes a `Failure`."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import traceback

from fx_lsp.model import wire
from fx_lsp.model.example import Search
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import MAX_LOG, MAX_PRINTED, MAX_REPLY, TraceReply, TraceRequest
from fx_lsp.server.vetted import printed, vetted
from fx_lsp.server.worker_process import Answer

MANY_FILES = 20
"""Files of the workspace that take long to import for the first time."""
LONG_IMPORT = 300.0
"""Milliseconds of an import that is done as seldom as can be.  Examples share it even when somebody looks at them, wait
for it until the worker has made ready what it reads, since each of them would do that again, and it is done ahead."""
OFF_LOOP = 256 << 10
"""Characters of a request from which on it is encoded in a thread."""

_LIMITS = {
    "oversized": f"the result is larger than {MAX_REPLY >> 20} MiB",
    "printed": f"the run printed more than {MAX_PRINTED >> 20} MiB",
}


def large(request: TraceRequest) -> bool:
    """Whether it is better encoded in a thread."""
    return sum(len(overlay.text) for overlay in request.overlays) > OFF_LOOP


def failed(request: TraceRequest, stage: str, message: str, detail: str = "", log: str = "") -> TraceReply:
    """A reply that holds nothing but a failure, which says nothing about the user's code."""
    failure = Failure(stage=stage, message=message, detail=detail, proven=False)
    return TraceReply(id=request.id, failure=failure, log=log)


async def reply_of(answer: Answer, request: TraceRequest) -> TraceReply:
    """The child's reply as far as it can be believed; or the failure that is there instead."""
    output = answer.output
    log = printed(output.log, MAX_LOG)
    if output.reason == "timeout":
        return failed(request, "timeout", f"did not finish within {request.seconds:g} s", log, log)
    if output.reason == "stopped":
        return failed(request, "crash", "the process of the run was stopped, and then ended", log, log)
    if output.reason in _LIMITS:
        return failed(request, "protocol", _LIMITS[output.reason], log, log)
    if output.reason:
        return failed(request, output.reason, f"the run was {output.reason}", log, log)
    if answer.reply is None:
        return failed(request, "crash", _ending(output.status), log, log)
    try:
        reply = await asyncio.to_thread(_read, answer.reply, request)
    except wire.WireError as error:
        return failed(request, "protocol", f"the run gave an answer that cannot be read: {error}", log=log)
    except Exception:  # whatever is wrong with an answer, it was made by a stranger's code
        message = "the run gave an answer that was not understood"
        return failed(request, "protocol", message, traceback.format_exc(), log)
    return dataclasses.replace(reply, log=reply.log or log)


def still_importing(reply: TraceReply, search: Search | None = None) -> bool:
    """Whether the time was over because of an import, much of which the next run has ready: installed packages, and
    many files of the workspace."""
    late = stage_of(reply) == "timeout"
    if search is not None and reply.failure is None:  # of a class that there is no time for nothing is said
        late = len(reply.invented) < len(search.names)
    ready = bool(reply.imported) or len(reply.files) >= MANY_FILES
    return late and ready and reply.import_ms > reply.ms / 2


def _read(body: bytes, request: TraceRequest) -> TraceReply:
    """Under the request's id, whatever it says itself.

    Raises:
        WireError: it is no reply.
    """
    reply = wire.decode(body)
    if not isinstance(reply, TraceReply):
        raise wire.WireError(f"a {reply.kind}")
    return dataclasses.replace(vetted(reply, request), id=request.id)


def _ending(status: int) -> str:
    """A wait status in words."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"the process of the run ended without an answer (exit status {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = ", perhaps because it used too much memory" if name == "SIGKILL" else ""
    return f"the process of the run was ended by {name}{hint}"


def lean(reply: TraceReply) -> TraceReply:
    """Without what nobody looks at again: what was printed, and the traceback, are most of an answer that failed."""
    failure = dataclasses.replace(reply.failure, detail="") if reply.failure is not None else None
    return dataclasses.replace(reply, log="", failure=failure, imported="")


def stage_of(reply: TraceReply) -> str:
    """Where it failed; empty when it did not."""
    return reply.failure.stage if reply.failure is not None else ""
