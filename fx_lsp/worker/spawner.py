"""Serves traces without a fork (Windows, or a process with several threads): a fresh process for each.

Each is started with `--once`, imports torch, applies the rest of the sandbox to itself, says hello and waits; one spare
is always ready or on its way.  Pipes cannot be selected on Windows, so each has a thread that reads it; what happens is
put in a queue, and one loop acts.
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
from fx_lsp.model.messages import MAX_MESSAGE, MAX_REPLY, MAX_REQUEST, Cancel, Hello, Output, Ping, Pong, TraceRequest
from fx_lsp.worker.frames import read_frame, skip_to_marker, write_all
from fx_lsp.worker.offspring import MAX_TRIES, Order
from fx_lsp.worker.printed import Printed

_CHUNK = 1 << 16
_LOG_SECONDS = 1.0
"""How long to wait for the end of the log of a process that is dead: something that escaped may hold the pipe."""

Event = Callable[[], None]


class Process:
    """A `--once` worker: a spare until it is given a request."""

    def __init__(self, command: List[str], post: Callable[[Event], None], owner: Spawner) -> None:
        self.order: Optional[Order] = None
        self.deadline = float("inf")
        self.ready = self.taken = False
        self.reply: Optional[bytes] = None
        self.reason = ""
        self.printed = Printed()
        self._post, self._owner = post, owner
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)
        self._log = threading.Thread(target=self._read_log, daemon=True)
        self._log.start()
        self._writer: Optional[threading.Thread] = None
        self._reader = threading.Thread(target=self._read_frames, daemon=True)
        self._reader.start()

    def give(self, order: Order) -> None:
        """Hand over the one request; a process that is gone already is noticed by its reader."""
        self.order = order
        self.deadline = time.monotonic() + order.seconds
        self._writer = threading.Thread(target=self._write, args=(order.frame,), daemon=True)
        self._writer.start()

    def kill(self, reason: str = "") -> None:
        """End it, and where there are process groups, all of its group."""
        self.reason = self.reason or reason
        self.deadline = float("inf")
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.kill()

    def end(self) -> int:
        """Kill what is left, wait for it, let go of its pipes, and give its status as `os.wait` does."""
        self.kill()
        code = self._popen.wait()
        for thread in filter(None, (self._log, self._writer, self._reader)):
            thread.join(_LOG_SECONDS)
        for stream in (self._popen.stdin, self._popen.stdout):
            with contextlib.suppress(OSError):  # what was not written is wanted by nobody
                stream and stream.close()
        return -code if code < 0 else code << 8

    def _write(self, data: bytes) -> None:
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError):  # it is gone already, which its reader notices
            write_all(self._popen.stdin.fileno(), data)

    def _read_frames(self) -> None:
        assert self._popen.stdout is not None
        fd = self._popen.stdout.fileno()
        try:
            skip_to_marker(fd)
            first = read_frame(fd, MAX_MESSAGE)
            if first is not None:
                self._post(lambda: self._owner.greeted(self, first))
                self.taken = read_frame(fd, MAX_MESSAGE) is not None
                self.reply = read_frame(fd, MAX_REPLY)
        except wire.WireError as error:
            if self.taken:
                self.reason = self.reason or "oversized"
            else:
                self.printed.add(f"fx-lsp: {error}\n".encode())
        self._post(lambda: self._owner.ended(self))

    def _read_log(self) -> None:
        assert self._popen.stderr is not None
        with self._popen.stderr as stream:
            while True:
                data = os.read(stream.fileno(), _CHUNK)
                if not data:
                    return
                if not self.printed.add(data):
                    self.kill("printed")


class Spawner:
    """The same conversation with the server as a zygote has."""

    def __init__(self, requests: int, replies: int, command: List[str]) -> None:
        self._requests, self._replies, self._command = requests, replies, command
        self._events: queue.Queue[Event] = queue.Queue()
        self._processes: List[Process] = []
        self._waiting: Deque[Order] = deque()
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

    def greeted(self, process: Process, body: bytes) -> None:
        """The first message of a process: ready, or it says why not."""
        if not self._greeted:
            self._greeted = True
            self._write(wire.MARKER + wire.frame(body))
        process.ready = isinstance(_decoded(body), Hello)
        self._assign()

    def ended(self, process: Process) -> None:
        """A process is gone, or has nothing more to say."""
        self._processes.remove(process)
        status = process.end()
        order = process.order
        if not self._greeted or not process.ready:
            os.write(2, process.printed.text().encode("utf-8"))
            self._open = False  # the next one would fare no better; the server decides what to do
        elif order is not None and not process.taken and not process.reason and order.tries + 1 < MAX_TRIES:
            self._waiting.appendleft(order._replace(tries=order.tries + 1))
        elif order is not None:
            reply = process.reply if not process.reason else None
            output = Output(order.id, reply is not None, status, process.reason, process.printed.text())
            self._write(wire.frame(wire.encode(output)) + (wire.frame(reply) if reply is not None else b""))
        self._assign()

    def _start(self) -> None:
        self._processes.append(Process(self._command, self._events.put, self))

    def _assign(self) -> None:
        """Give waiting requests to ready spares, and keep one spare more than is waited for."""
        if not self._open:
            return
        spares = [process for process in self._processes if process.order is None]
        for process in [spare for spare in spares if spare.ready][: len(self._waiting)]:
            process.give(self._waiting.popleft())
            spares.remove(process)
        for _ in range(len(self._waiting) + 1 - len(spares)):
            self._start()

    def _obey(self, body: bytes) -> None:
        message = _decoded(body)
        if isinstance(message, TraceRequest):
            self._waiting.append(Order(message.id, wire.frame(body), message.seconds))
            self._assign()
        elif isinstance(message, Ping):
            self._write(wire.frame(wire.encode(Pong(message.id))))
        elif isinstance(message, Cancel):
            self._cancel(message.id)

    def _cancel(self, number: int) -> None:
        for order in [order for order in self._waiting if order.id == number]:
            self._waiting.remove(order)
            self._write(wire.frame(wire.encode(Output(number, reason="cancelled"))))
        for process in self._processes:
            if process.order is not None and process.order.id == number:
                process.kill("cancelled")

    def _expire(self) -> None:
        for process in self._processes:
            if time.monotonic() >= process.deadline:
                process.kill("timeout")

    def _patience(self) -> Optional[float]:
        soonest = min((process.deadline for process in self._processes), default=float("inf"))
        return None if soonest == float("inf") else max(0.0, soonest - time.monotonic())

    def _write(self, data: bytes) -> None:
        try:
            write_all(self._replies, data)
        except BrokenPipeError:
            self._open = False

    def _read_requests(self) -> None:
        try:
            while True:
                body = read_frame(self._requests, MAX_REQUEST)
                if body is None:
                    break
                self._events.put(lambda body=body: self._obey(body))
        except wire.WireError as error:  # the server never does that, so this is not the server
            os.write(2, f"fx-lsp: {error}\n".encode())
        self._events.put(self._close)

    def _close(self) -> None:
        self._open = False


def _decoded(body: bytes) -> Any:
    """The message, or None for what is none: said on stderr, and never an error of ours."""
    try:
        return wire.decode(body)
    except wire.WireError as error:
        os.write(2, f"fx-lsp: a request that is none: {error}\n".encode("utf-8", "replace"))
        return None
