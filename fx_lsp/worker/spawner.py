"""Serves traces without a fork (Windows, or a process with several threads): a fresh process for each.

Each is started with `--once`, imports torch, says hello and waits; one spare is always ready or on its way.  Pipes
cannot be selected on Windows, so each has a thread that reads it; what happens is put in a queue, and one loop acts.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, List, Optional

from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_OUTPUT, MAX_REPLY, MAX_REQUEST, Cancel, Hello, Output, TraceRequest
from fx_lsp.worker.lines import Tail

_CHUNK = 1 << 16
_LOG_SECONDS = 1.0
"""How long to wait for the end of the log of a process that is dead: something that escaped may hold the pipe."""

Event = Callable[[], None]


class Process:
    """A `--once` worker: a spare until it is given a request."""

    def __init__(self, command: List[str], post: Callable[[Event], None], owner: Spawner) -> None:
        self.request: Optional[TraceRequest] = None
        self.deadline = 0.0
        self.ready = False
        self.line: Optional[bytes] = None
        self.reason = ""
        self.printed = Tail()
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self._log = threading.Thread(target=self._read_log, daemon=True)
        self._log.start()
        threading.Thread(target=self._read_lines, args=(post, owner), daemon=True).start()

    def give(self, request: TraceRequest) -> None:
        """Hand over the one request; a process that is gone already is noticed by its reader."""
        self.request = request
        self.deadline = time.monotonic() + request.seconds
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(wire.encode(request).encode("ascii") + b"\n")
            self._popen.stdin.close()
        except OSError as error:
            self.printed.add(f"fx-lsp: {error}\n".encode())

    def kill(self, reason: str = "") -> None:
        """End it, and where there are process groups, all of its group."""
        self.reason = self.reason or reason
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.kill()

    def end(self) -> int:
        """Kill what is left, wait for it, and give its status as `os.wait` does."""
        self.kill()
        code = self._popen.wait()
        self._log.join(_LOG_SECONDS)
        return -code if code < 0 else code << 8

    def _read_lines(self, post: Callable[[Event], None], owner: Spawner) -> None:
        assert self._popen.stdout is not None
        first = self._popen.stdout.readline(MAX_REPLY + 1)
        if first:
            post(lambda: owner.greeted(self, first))
            second = self._popen.stdout.readline(MAX_REPLY + 1)
            if len(second) > MAX_REPLY:
                self.reason = "oversized"
            elif second.endswith(b"\n"):
                self.line = second[:-1]
        post(lambda: owner.ended(self))

    def _read_log(self) -> None:
        assert self._popen.stderr is not None
        while True:
            data = os.read(self._popen.stderr.fileno(), _CHUNK)
            if not data:
                return
            self.printed.add(data)


class Spawner:
    """The same conversation with the server as a zygote has."""

    def __init__(self, requests: int, replies: int, command: List[str]) -> None:
        self._requests, self._replies, self._command = requests, replies, command
        self._events: queue.Queue[Event] = queue.Queue()
        self._processes: List[Process] = []
        self._waiting: Deque[TraceRequest] = deque()
        self._open = True
        self._greeted = False

    def serve(self) -> None:
        """Work until the server closes its pipe; the hello of the first process is ours."""
        self._start()
        threading.Thread(target=self._read_requests, daemon=True).start()
        try:
            while self._open:
                try:
                    self._events.get(timeout=self._patience())()
                except queue.Empty:
                    self._expire()
        finally:
            for process in self._processes:
                process.end()

    def greeted(self, process: Process, line: bytes) -> None:
        """The first line of a process: ready, or it says why not."""
        if not self._greeted:
            self._greeted = True
            self._write(line)
        process.ready = isinstance(_decoded(line), Hello)
        self._assign()

    def ended(self, process: Process) -> None:
        """A process is gone, or has nothing more to say."""
        self._processes.remove(process)
        status = process.end()
        if not self._greeted or not process.ready:
            os.write(2, process.printed.text().encode("utf-8"))
            self._open = False  # the next one would fare no better; the server decides what to do
        elif process.request is not None:
            self._answer(process, process.request, status)
        self._assign()

    def _answer(self, process: Process, request: TraceRequest, status: int) -> None:
        line = process.line.decode("ascii", "replace") if process.line and not process.reason else ""
        log = process.printed.text()
        output = wire.encode(Output(request.id, line, status, process.reason, log))
        if len(output) > MAX_OUTPUT:
            output = wire.encode(Output(request.id, "", status, "oversized", log))
        self._write(output.encode("ascii") + b"\n")

    def _start(self) -> None:
        self._processes.append(Process(self._command, self._events.put, self))

    def _assign(self) -> None:
        """Give waiting requests to ready spares, and keep one spare more than is waited for."""
        if not self._open:
            return
        spares = [process for process in self._processes if process.request is None]
        for process in [spare for spare in spares if spare.ready][: len(self._waiting)]:
            process.give(self._waiting.popleft())
            spares.remove(process)
        for _ in range(len(self._waiting) + 1 - len(spares)):
            self._start()

    def _obey(self, line: bytes) -> None:
        message = _decoded(line)
        if isinstance(message, TraceRequest):
            self._waiting.append(message)
            self._assign()
        elif isinstance(message, Cancel):
            self._cancel(message.id)

    def _cancel(self, number: int) -> None:
        for request in [request for request in self._waiting if request.id == number]:
            self._waiting.remove(request)
            self._write(wire.encode(Output(number, "", reason="cancelled")).encode("ascii") + b"\n")
        for process in self._processes:
            if process.request is not None and process.request.id == number:
                process.kill("cancelled")

    def _expire(self) -> None:
        for process in self._processes:
            if process.request is not None and time.monotonic() >= process.deadline:
                process.deadline = float("inf")
                process.kill("timeout")

    def _patience(self) -> Optional[float]:
        deadlines = [process.deadline for process in self._processes if process.request is not None]
        soonest = min(deadlines, default=float("inf"))
        return None if soonest == float("inf") else max(0.0, soonest - time.monotonic())

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._replies, view) :]
        except BrokenPipeError:
            self._open = False

    def _read_requests(self) -> None:
        with open(self._requests, "rb") as channel:
            while True:
                line = channel.readline(MAX_REQUEST + 1)
                if not line.endswith(b"\n"):
                    break
                self._events.put(lambda line=line: self._obey(line))
        self._events.put(self._close)

    def _close(self) -> None:
        self._open = False


def _decoded(line: bytes) -> Any:
    """The message, or None for what is none: said on stderr, and never an error of ours."""
    try:
        return wire.decode(line)
    except wire.WireError as error:
        os.write(2, f"fx-lsp: {error}\n".encode("utf-8", "replace"))
        return None
