"""The fork server: torch is imported once, each trace is a forked child.

One thread, one selector, and no call that could wait for a child: whatever children do, deadlines hold, and so does
the connection to the server.  What a child writes is passed on unread.

There is no fork on Windows, and a process with several threads must not fork: see `spawner`.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import sys
import time
from typing import Callable, Dict, List, Optional

from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_OUTPUT, MAX_REPLY, MAX_REQUEST, Cancel, Hello, Output, Prepare, TraceRequest
from fx_lsp.worker import child, sandbox
from fx_lsp.worker.answer import Run
from fx_lsp.worker.lines import Lines, Tail, TooLong
from fx_lsp.worker.prepared import PREPARED

_CHUNK = 1 << 18


class Child:
    """A running trace, seen from outside."""

    def __init__(self, request: TraceRequest, pid: int, result: int, log: int) -> None:
        self.id, self.pid, self.result, self.log = request.id, pid, result, log
        self.deadline = time.monotonic() + request.seconds
        self.lines = Lines(MAX_REPLY)
        self.line: Optional[bytes] = None
        self.printed = Tail()
        self.reason = ""
        self.killed = False

    def read_result(self) -> bool:
        """Take what is there; False when nothing more is wanted from that pipe."""
        try:
            data = os.read(self.result, _CHUNK)
            lines = self.lines.feed(data)
        except BlockingIOError:
            return True
        except TooLong:
            self.reason = self.reason or "oversized"
            return False
        if lines:
            self.line = lines[0]
        return bool(data) and self.line is None

    def read_log(self) -> bool:
        """Take what is there, keep the end; False when the pipe is closed."""
        try:
            data = os.read(self.log, _CHUNK)
        except BlockingIOError:
            return True
        self.printed.add(data)
        return bool(data)

    def kill(self, reason: str = "") -> None:
        """End it and all of its process group.  Only until it was waited for: then its number may be another's."""
        self.reason = self.reason or reason
        self.killed = True
        for end in (os.killpg, os.kill):  # the group may not exist yet
            try:
                end(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # nobody there; or only a zombie, as macOS words it
                continue

    def ended(self) -> Optional[int]:
        """Its wait status once it has ended, and then its group is gone too; None while it runs."""
        if hasattr(os, "waitid"):
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return None
            self.kill()
            return os.waitpid(self.pid, 0)[1]
        pid, status = os.waitpid(self.pid, os.WNOHANG)  # macOS before Python 3.13
        if pid == 0:
            return None
        self.kill()
        return status


class Zygote:
    """Serves requests from one pipe, answers on another."""

    def __init__(self, requests: int, replies: int, run: Run) -> None:
        self._requests, self._replies, self._run = requests, replies, run
        self._children: Dict[int, Child] = {}
        self._incoming = Lines(MAX_REQUEST)
        self._outgoing = bytearray()
        self._open = True
        self._idle = True
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        for fd in (requests, replies, self._wake_read, self._wake_write):
            os.set_blocking(fd, False)
        self._selector.register(requests, selectors.EVENT_READ)
        self._selector.register(self._wake_read, selectors.EVENT_READ)

    def serve(self, hello: Hello) -> None:
        """Work until the server closes its pipe; leaves no child behind."""
        sandbox.adopt_orphans()
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler nothing is written to the wake-up pipe
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self._send(hello)
        try:
            while self._open:
                self._step()
        finally:
            self._end()

    def _step(self) -> None:
        """One round: first take what there is, then act; so no descriptor is reused while events about it are left."""
        orders: List[bytes] = []
        for key, _ in self._selector.select(self._patience()):
            if key.fd == self._requests:
                orders += self._receive()
            elif key.fd == self._replies:
                self._flush()
            elif key.fd != self._wake_read:
                self._take(key.data, key.fd)
        for order in orders:
            self._obey(order)
        now = time.monotonic()
        for running in self._children.values():
            if now >= running.deadline and not running.killed:
                running.kill("timeout")
        self._reap()
        self._idle = not PREPARED.step()

    def _patience(self) -> Optional[float]:
        if not self._idle:
            return 0.0
        deadlines = [running.deadline for running in self._children.values() if not running.killed]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    # The server's side

    def _receive(self) -> List[bytes]:
        try:
            data = os.read(self._requests, _CHUNK)
            self._open = bool(data)
            return self._incoming.feed(data)
        except BlockingIOError:
            return []
        except TooLong as error:  # the server never does that, so this is not the server
            print(f"fx-lsp: {error}", file=sys.stderr)
            self._open = False
            return []

    def _obey(self, order: bytes) -> None:
        try:
            message = wire.decode(order)
        except wire.WireError as error:
            print(f"fx-lsp: a request that is none: {error}", file=sys.stderr)
            return
        if isinstance(message, TraceRequest):
            self._fork(message)
        elif isinstance(message, Prepare):
            PREPARED.want(message.root, message.paths)
        elif isinstance(message, Cancel):
            for running in self._children.values():
                if running.id == message.id and not running.killed:
                    running.kill("cancelled")
        else:
            print(f"fx-lsp: a request of an unknown kind: {message.kind}", file=sys.stderr)

    def _send(self, message: object, shorter: object = None) -> None:
        """Put the message in the queue, or `shorter` if it is larger than the server takes."""
        line = wire.encode(message)
        if len(line) > MAX_OUTPUT:  # a reply full of bytes that no reply has, each of them written as six
            line = wire.encode(shorter)
        self._outgoing += line.encode("ascii") + b"\n"
        self._flush()

    def _flush(self) -> None:
        try:
            while self._outgoing:
                with memoryview(self._outgoing) as view:
                    written = os.write(self._replies, view[:_CHUNK])
                del self._outgoing[:written]
        except BlockingIOError:
            pass  # the selector tells when there is room again
        except BrokenPipeError:
            self._open = False
        waiting = self._replies in self._selector.get_map()
        if self._outgoing and not waiting:
            self._selector.register(self._replies, selectors.EVENT_WRITE)
        elif not self._outgoing and waiting:
            self._selector.unregister(self._replies)

    # The children's side

    def _fork(self, request: TraceRequest) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        pipes: List[int] = []
        try:
            for _ in range(2):
                pipes += os.pipe()
            parent, pid = os.getpid(), os.fork()
        except OSError as error:  # out of processes, memory or descriptors
            for fd in pipes:
                os.close(fd)
            self._send(Output(request.id, "", log=f"no process could be started: {error}"))
            return
        result, result_end, log, log_end = pipes
        if pid == 0:
            child.live(request, self._run, result_end, log_end, parent)
        os.close(result_end)
        os.close(log_end)
        running = self._children[pid] = Child(request, pid, result, log)
        for fd in (result, log):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, running)

    def _take(self, running: Child, fd: int) -> None:
        if fd == running.log:
            if not running.read_log():
                self._selector.unregister(fd)
        elif not running.read_result():
            self._selector.unregister(fd)
            if running.line is not None or running.reason:  # it said all it may say
                running.kill()

    def _reap(self) -> None:
        """Answer for the children that ended, and end what they left behind."""
        try:
            os.read(self._wake_read, _CHUNK)
        except BlockingIOError:
            return  # nothing has ended since
        for running in list(self._children.values()):
            status = running.ended()
            if status is not None:
                del self._children[running.pid]
                self._finish(running, status)
        for pid in sandbox.orphans(set(self._children)):  # ours since the child that started it died
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, os.WNOHANG)

    def _finish(self, running: Child, status: int) -> None:
        """Read what is left in the pipes, then tell the server."""
        for fd, read in ((running.result, running.read_result), (running.log, running.read_log)):
            if fd in self._selector.get_map():
                self._selector.unregister(fd)
                _exhaust(fd, read)
            os.close(fd)
        line = running.line.decode("ascii", "replace") if running.line and not running.reason else ""
        output = Output(running.id, line, status, running.reason, running.printed.text())
        self._send(output, Output(running.id, "", status, "oversized", output.log))

    def _end(self) -> None:
        for running in self._children.values():
            running.kill()
        while True:
            for pid in sandbox.orphans(set()):
                os.kill(pid, signal.SIGKILL)
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return


def _exhaust(fd: int, read: Callable[[], bool]) -> None:
    """Read until the pipe is empty; bounded, since something may have escaped that still writes."""
    for _ in range(64):
        ready, _, _ = select.select([fd], [], [], 0)
        if not ready or not read():
            return
