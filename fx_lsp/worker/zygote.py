"""The fork server: torch is imported once, each trace is a forked child.

One thread, one selector, and no call that could wait for a child: whatever children do, deadlines hold, and so does
the connection to the server.  What a child writes is passed on unread.

There is no fork on Windows, and a process with several threads must not fork: see `spawner`.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import selectors
import signal
import sys
import time
from typing import Callable, Dict, Iterable, List, Optional

from fx_lsp.model import wire
from fx_lsp.model.messages import (
    MAX_REQUEST,
    PROTOCOL,
    Ahead,
    Cancel,
    Hello,
    Output,
    Ping,
    Pong,
    Prepare,
    StartFailed,
    TraceRequest,
)
from fx_lsp.worker import processes
from fx_lsp.worker.answer import Task
from fx_lsp.worker.child import live
from fx_lsp.worker.engines.dispatched import AHEAD
from fx_lsp.worker.frames import Frames
from fx_lsp.worker.held import Held
from fx_lsp.worker.imported import IMPORTED
from fx_lsp.worker.offspring import Child, Order
from fx_lsp.worker.outbox import Outbox
from fx_lsp.worker.prepared import PREPARED
from fx_lsp.worker.repeats.vain import VAIN
from fx_lsp.worker.spares import Spares

_CHUNK = 1 << 18
_QUIET = 0.3
"""Seconds in which nothing was asked, after which there is time for a chore."""


class Zygote:
    """Serves requests from one pipe, answers on another."""

    def __init__(self, requests: int, replies: int, task: Task, chores: Iterable[Callable[[], object]] = ()) -> None:
        """`task` is what children do.  `chores` make later children better, one step each, when nothing is going on."""
        self._requests, self._task, self._chores = requests, task, list(chores)
        self._hello: Optional[Hello] = None
        self._children: Dict[int, Child] = {}
        self._incoming = Frames(MAX_REQUEST)
        self._orders: List[bytes] = []
        self._open = True
        self._busy = True
        self._chores_done = self._imported = 0
        self._quiet_at = float("inf")
        self._selector = selectors.DefaultSelector()
        self._replies = Outbox(replies, self._selector, self._close)
        self._spares = Spares(self._fork, self._version, self._children, lambda: self._prepared)
        self._held = Held()
        self._prepared = 0.0
        self._wake_read, self._wake_write = os.pipe()
        for fd, act in ((requests, self._receive), (self._wake_read, lambda: None)):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, act)
        os.set_blocking(self._wake_write, False)

    def serve(self, hello: Hello) -> None:
        """Say hello once a child is ready, and work until the server closes its pipe; leaves no child behind."""
        self._hello = hello
        processes.adopt_orphans()
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler nothing is written to the wake-up pipe
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        try:
            while self._open:
                self._step()
        finally:
            self._end()

    def _step(self) -> None:
        """One round: first take what there is, then act; so no descriptor is reused while events about it are left."""
        for key, _ in self._selector.select(self._patience()):
            key.data()
        orders, self._orders = self._orders, []
        for order in orders:
            self._obey(order)
        for held in self._held.due(not self._prepares()):
            self._give(held, current=True)
        if self._chores and any(child.order is not None for child in self._children.values()):
            self._quiet_at = time.monotonic() + _QUIET
        for child in list(self._children.values()):
            self._settle(child)
        self._reap()
        self._busy = self._open and self._use_time()

    def _patience(self) -> Optional[float]:
        if self._busy:
            return 0.0
        dates = [child.deadline for child in self._children.values()]
        dates += [self._spares.due, self._quiet_at if self._chores else float("inf")]
        return None if min(dates) == float("inf") else max(0.0, min(dates) - time.monotonic())

    def _use_time(self) -> bool:
        """Do one thing that nobody waits for; False when there is none."""
        if self._spares.refill():
            return True
        if self._hello is not None:
            return False
        if self._prepares():
            started = time.monotonic()
            if PREPARED.waits:
                PREPARED.step()
            else:
                self._import()
            self._prepared += time.monotonic() - started
            return True
        if self._chores and time.monotonic() >= self._quiet_at:
            self._chores.pop(0)()
            self._chores_done += 1
            return True
        return self._spares.renew() or self._spares.import_ahead()

    def _prepares(self) -> bool:
        """Whether there is something to be made ready for later children."""
        return self._open and (PREPARED.waits or IMPORTED.waits)

    def _import(self) -> None:
        """One installed module, and the end of this process if that made it unfit."""
        IMPORTED.step()
        if IMPORTED.made != self._imported:
            self._imported = IMPORTED.made
            if why := IMPORTED.spoiled():
                print(f"fx-lsp: {why}, so the worker ends", file=sys.stderr)
                self._open = False

    # The server's side

    def _receive(self) -> None:
        try:
            data = os.read(self._requests, _CHUNK)
            self._open = self._open and bool(data)
            self._orders += self._incoming.feed(data)
        except BlockingIOError:
            return
        except wire.WireError as error:  # the server never does that, so this is not the server
            print(f"fx-lsp: {error}", file=sys.stderr)
            self._open = False

    def _close(self) -> None:
        self._open = False

    def _obey(self, body: bytes) -> None:
        try:
            message = wire.decode(body)
        except wire.WireError as error:
            print(f"fx-lsp: a request that is none: {error}", file=sys.stderr)
            return
        if isinstance(message, TraceRequest):
            order = Order.of(message, wire.frame(body))
            if message.unhurried:
                self._held.add(order)
            else:
                self._give(order)
        elif isinstance(message, Ping):
            self._send(Pong(message.id))
        elif isinstance(message, Ahead):
            self._spares.want(message, wire.frame(body))
        elif isinstance(message, Prepare):
            PREPARED.want(message.root, message.paths)
            AHEAD.want(message.dispatched)
            IMPORTED.want(message.imported)
            VAIN.want(message.vain)
        elif isinstance(message, Cancel):
            if self._held.cancelled(message.id):
                self._send(Output(message.id, reason="cancelled"))
            for child in self._children.values():
                if child.order is not None and child.order.id == message.id and not child.killed:
                    child.kill("cancelled")
        else:
            print(f"fx-lsp: a request of an unknown kind: {message.kind}", file=sys.stderr)

    def _send(self, message: object, payload: bytes = b"") -> None:
        self._replies.add(wire.frame(wire.encode(message)) + payload)

    # The children's side

    def _give(self, order: Order, *, current: bool = False) -> None:
        try:
            self._spares.give(order, current=current)
        except OSError as error:  # out of processes, memory or descriptors
            self._send(Output(order.id, log=f"no process could be started: {error}"))

    def _fork(self) -> Child:
        """Raises OSError."""
        sys.stdout.flush()
        sys.stderr.flush()
        gc.collect()
        gc.freeze()  # the collector of a child must not touch, and so copy, the pages it shares with us
        pipes: List[int] = []
        try:
            for _ in range(3):
                pipes += os.pipe()
            parent, pid = os.getpid(), os.fork()
        except OSError:
            for fd in pipes:
                os.close(fd)
            raise
        request_end, request, result, result_end, log, log_end = pipes
        if pid == 0:
            # What has not been done here yet takes each child long, and the first trace would compete with it.
            task = self._task._replace(touch=lambda wanted: None) if self._chores else self._task
            live(task, request_end, result_end, log_end, parent)
        for fd in (request_end, result_end, log_end):
            os.close(fd)
        child = self._children[pid] = Child(pid, request, result, log, self._selector, self._prepared)
        return child

    def _version(self) -> int:
        """How much a new child has."""
        return self._chores_done + PREPARED.made + AHEAD.made + IMPORTED.made + VAIN.made

    def _settle(self, child: Child) -> None:
        """Act on what a child said, or did not say in time."""
        if child.layers is not None:
            self._spares.ready(child)
            if self._hello is not None:
                hello, self._hello = self._hello, None
                self._replies.add(wire.MARKER)
                self._send(dataclasses.replace(hello, layers=hello.layers + child.layers))
                self._quiet_at = time.monotonic() + _QUIET
        if time.monotonic() >= child.deadline:
            child.kill("timeout")
        if child.order is not None and (child.reply is not None or child.reason):
            self._answer(child, child.order, 0)
            child.kill()  # it said all that it may say; so did whatever user code left running in it

    def _answer(self, child: Child, order: Order, status: int) -> None:
        """Tell the server at once: how long a dead child takes to vanish is nobody's business."""
        child.drain()
        child.order = None
        reply = child.reply if not child.reason else None
        output = Output(order.id, reply is not None, status, child.reason, child.printed.text())
        self._send(output, wire.frame(reply) if reply is not None else b"")

    def _reap(self) -> None:
        """Answer for the children that ended, and end what they left behind."""
        try:
            os.read(self._wake_read, _CHUNK)
        except BlockingIOError:
            return  # nothing has ended since
        for child in list(self._children.values()):
            status = child.ended()
            if status is not None:
                del self._children[child.pid]
                self._bury(child, status)
        for pid in processes.orphans(set(self._children)):  # ours since the child that started it died
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, os.WNOHANG)

    def _bury(self, child: Child, status: int) -> None:
        child.drain()
        again = self._spares.ended(child)
        if again is not None:
            self._give(again)
        elif child.order is not None:
            self._answer(child, child.order, status)
        elif child.layers is None and not child.killed:
            self._fail(child)
        child.close()

    def _fail(self, child: Child) -> None:
        """A child was not even ready: say why, and if it is the first one, give up."""
        text = child.printed.text()
        sys.stderr.write(text)
        if self._hello is not None:
            reason = next((line for line in reversed(text.splitlines()) if line.strip()), "no message").strip()
            self._replies.add(wire.MARKER)
            self._send(StartFailed(PROTOCOL, f"No run could be prepared in {sys.executable}: {reason}"))
            self._open = False

    def _end(self) -> None:
        for child in self._children.values():
            child.kill()
        while True:
            for pid in processes.orphans(set()):
                os.kill(pid, signal.SIGKILL)
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return
