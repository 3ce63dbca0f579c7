"""What every process that runs user code does: fresh standard streams, the sandbox, one request, one reply."""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import traceback
from typing import Callable, NamedTuple, Protocol, TextIO, Tuple

from fx_lsp.model import wire
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import MAX_REQUEST, Ahead, Taken, TraceReply, TraceRequest, Warm
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.worker import sandbox
from fx_lsp.worker.frames import read_frame, write_all
from fx_lsp.worker.room import with_room
from fx_lsp.worker.sandbox._calls import PATIENT

try:
    import resource
except ImportError:  # Windows
    resource = None

Run = Callable[[TraceRequest], TraceReply]


class Standing(Protocol):
    """A file that is imported."""

    def fits(self, request: TraceRequest) -> bool:
        """Whether the request would find the same if the file were imported for it."""

    def reply(self, request: TraceRequest) -> TraceReply:
        """What comes of a request that fits."""


class Task(NamedTuple):
    """What a process that runs user code is for."""

    run: Run
    policy: Policy
    touch: Callable[[Callable[[], bool]], None]
    """Does ahead of time what any run will do again, until something is wanted."""
    ahead: Callable[[Ahead], Standing]
    """Imports a file before it is asked to run anything of it."""


def serve(
    task: Task,
    request: int,
    result: int,
    greeting: Callable[[Tuple[LayerReport, ...]], bytes],
    wait: Callable[[], None] = lambda: None,
) -> None:
    """Apply the last stage of the sandbox, say so on `result`, and answer the one request; none may come.

    `wait` is called before the request is read.

    Raises:
        SandboxError: the process cannot be held to the policy, and has run nothing.
        TypeError: the request is none.
        WireError: it is none of our messages.
        OSError: nobody reads the answer.
    """
    gc.enable()
    open_streams()
    write_all(result, greeting(sandbox.apply("child", task.policy)))
    wait()
    run, message = task.run, _next(request)
    if isinstance(message, Ahead):
        run, message = _imported(task, message, request, result)
    os.close(request)
    if message is None:
        return
    write_all(result, wire.frame(wire.encode(Taken())))
    if not isinstance(message, TraceRequest):
        raise TypeError(f"a {message.kind} is no trace")
    _lower_memory(task.policy.memory - message.memory)
    if message.patient:
        _step_back()
    _answer(message, run, result)


def _next(request: int) -> object:
    """The message that comes, None at the end."""
    body = read_frame(request, MAX_REQUEST)
    return None if body is None else wire.decode(body)


def _imported(task: Task, wanted: Ahead, request: int, result: int) -> Tuple[Run, object]:
    """Import, say that it is done, and wait; the request that comes, None when it is for another."""
    listen, send, done = _next, write_all, wire.frame(wire.encode(Warm()))  # user code may replace them
    _take_place(wanted.root, wanted.scope)
    standing = with_room(task.ahead, wanted)
    send(result, done)
    message = listen(request)
    fits = isinstance(message, TraceRequest) and with_room(standing.fits, message)
    return standing.reply, message if fits else None


def _take_place(root: str, scope: str) -> None:
    """As the user's program would be started."""
    sys.argv[:] = [scope]
    try:
        os.chdir(root)
    except OSError as error:
        print(f"fx-lsp: cannot work in {root}: {error}", file=sys.stderr)


def _answer(request: TraceRequest, run: Run, result: int) -> None:
    """Run the request and write its reply to `result`; an exception from the run becomes a failure."""
    send, encode, frame = write_all, wire.encode, wire.frame  # user code may replace them
    _take_place(request.root, request.scope)
    out, error_out = sys.stdout, sys.stderr
    try:
        reply = with_room(run, request)
    except BaseException as error:  # an interrupt that came when the run was over, or a mistake of ours
        name = type(error).__name__
        failure = Failure("trace", f"{name}: {error}", error=name, detail=traceback.format_exc(), proven=False)
        reply = TraceReply(request.id, failure=failure)
    for stream in (out, error_out):
        _flush(stream)
    send(result, frame(encode(reply)))


def open_streams() -> None:
    """Python's standard streams anew, on the descriptors 0 to 2 as they are now."""
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = _printer(1)
    sys.stderr = sys.__stderr__ = _printer(2)
    faulthandler.enable(sys.stderr)
    sys.dont_write_bytecode = True


def _printer(fd: int) -> TextIO:
    """What was printed before a crash must be in the log, so nothing waits for a full buffer."""
    return open(fd, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def _lower_memory(excess: int) -> None:
    """Allow less than the policy does, where the request says so; more is not to be had."""
    if resource is None or excess <= 0:
        return
    allowed, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if allowed != resource.RLIM_INFINITY:
        lower = max(allowed - excess, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (lower, min(lower, hard) if hard >= 0 else lower))


def _step_back() -> None:
    """Let everybody else run first."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, PATIENT)
    except (AttributeError, OSError) as error:  # Windows; or nothing here may change priorities
        print(f"fx-lsp: no lower priority: {error}", file=sys.stderr)


def _flush(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):  # user code closed it: then there is nobody left to tell either
        return
