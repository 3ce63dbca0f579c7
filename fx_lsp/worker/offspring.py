"""A child of the zygote as the zygote sees it: a spare until it is given its one request."""

from __future__ import annotations

import os
import selectors
import signal
import time
from typing import NamedTuple, Optional, Tuple

from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_REPLY, Ready, Taken, TraceRequest, Warm
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.worker.frames import Frames
from fx_lsp.worker.outbox import Outbox
from fx_lsp.worker.printed import Printed

_CHUNK = 1 << 18
_ROUNDS = 64
"""Chunks that are read at most of what a child left in a pipe: something may have escaped that still writes."""


_TAKEN, _WARM = wire.encode(Taken()), wire.encode(Warm())
LONGEST_REST = 180.0
"""Seconds that one waits with a file that it has imported: so long something that escaped may run beside it."""
MAX_TRIES = 3
"""Children that may be given the same request and end without having taken it."""


File = Tuple[str, str]


class Order(NamedTuple):
    """A request on its way to a child."""

    id: int
    frame: bytes
    """As the server sent it."""
    seconds: float
    tries: int = 0
    """Children that were given it and ended without having taken it."""
    file: Optional[File] = None
    """Workspace and file, if a child may have imported it ahead."""
    patient: bool = False
    """Whether nobody looks at the answer yet."""

    @classmethod
    def of(cls, request: TraceRequest, frame: bytes) -> Order:
        """As the server sent it."""
        file = (request.root, request.scope) if request.is_ordinary and not request.patient else None
        return cls(request.id, frame, request.seconds, file=file, patient=request.patient)


class Child:
    """A process with three pipes: its request, its frames, what it prints."""

    def __init__(
        self, pid: int, request: int, result: int, log: int, selector: selectors.BaseSelector, prepared: float = 0.0
    ) -> None:
        self.pid = pid
        self.prepared = prepared
        """Seconds that it took to make ready what it has."""
        self.layers: Optional[Tuple[LayerReport, ...]] = None
        """What holds it, once it is ready."""
        self.noted = False
        """Whether that has been taken note of."""
        self.order: Optional[Order] = None
        self.warm = False
        """Whether it has done ahead what can be done ahead."""
        self.taken = False
        """Whether user code may have run in it, for its request."""
        self.ahead: Optional[File] = None
        """What it imports, or has imported, before it gets its request."""
        self.rests = False
        """Whether it is stopped: what user code may have left running in it does not go on while it waits."""
        self.deadline = float("inf")
        self.reply: Optional[bytes] = None
        self.reason = ""
        self.killed = False
        self.printed = Printed()
        self._frames = Frames(MAX_REPLY)
        self._selector = selector
        self._request = Outbox(request, selector, lambda: None)
        self._open = {}
        for fd, take in ((result, self._take_frames), (log, self._take_log)):
            os.set_blocking(fd, False)
            self._open[fd] = take
            selector.register(fd, selectors.EVENT_READ, lambda fd=fd: self._read(fd))

    def give(self, order: Order) -> None:
        """Hand over its request; from now on its time counts."""
        if self.rests:
            self.rests = False
            self._signal(signal.SIGCONT)
        self.order = order
        self.deadline = time.monotonic() + order.seconds
        self._request.add(order.frame)

    def import_ahead(self, file: File, frame: bytes, seconds: float) -> None:
        """Have it import what the frame says, in so many seconds."""
        self.ahead, self.warm = file, False
        self.deadline = time.monotonic() + seconds
        self._request.add(frame)

    def _rest(self) -> None:
        """It has imported its file: nothing moves in it until it is given its request."""
        self.rests = True
        self.deadline = time.monotonic() + LONGEST_REST
        self._signal(signal.SIGSTOP)

    def kill(self, reason: str = "") -> None:
        """End it and all of its process group.  Only until it was waited for: then its number may be another's."""
        self.reason = self.reason or reason
        self.killed = True
        self.deadline = float("inf")
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for send in (os.killpg, os.kill):  # the group may not exist yet
            try:
                send(self.pid, number)
            except (ProcessLookupError, PermissionError):  # nobody there; or only a zombie, as macOS words it
                continue

    def ended(self) -> Optional[int]:
        """Its wait status once it has ended, and then its group is gone too; None while it runs.

        One that has stopped is killed: nobody would wake it.
        """
        if hasattr(os, "waitid"):
            state = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
            if state is not None and state.si_code in (os.CLD_STOPPED, os.CLD_TRAPPED):
                if not self.rests:
                    self.kill("stopped")
                return None
            if state is None:
                return None
            self._signal(signal.SIGKILL)
            return os.waitpid(self.pid, 0)[1]
        pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)  # macOS before Python 3.13
        if pid != 0 and os.WIFSTOPPED(status):
            if not self.rests:
                self.kill("stopped")
            return None
        if pid == 0:
            return None
        self._signal(signal.SIGKILL)
        return status

    def drain(self) -> None:
        """Read what is left in its pipes."""
        for fd in list(self._open):
            for _ in range(_ROUNDS):
                if fd not in self._open or not self._read(fd):
                    break

    def close(self) -> None:
        """Let go of its pipes."""
        self._request.drop()
        os.close(self._request.fd)
        for fd in list(self._open):
            self._close(fd)

    def _read(self, fd: int) -> bool:
        """Take what is there; False when there was nothing."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        if not data or not self._open[fd](data):
            self._close(fd)
        return bool(data)

    def _close(self, fd: int) -> None:
        del self._open[fd]
        self._selector.unregister(fd)
        os.close(fd)

    def _take_frames(self, data: bytes) -> bool:
        """False when nothing more is wanted."""
        try:
            for body in self._frames.feed(data):
                if self.taken:
                    self.reply = body
                    return False
                self._obey(body)
        except wire.WireError:  # announced as longer than allowed
            self.kill("oversized")
            return False
        return True

    def _obey(self, said: bytes) -> None:
        """What a child says before it has run any user code; or after that, if it imports a file ahead: then nothing is
        read of what may be user code's.

        Raises:
            TypeError: no child of ours says that.
        """
        if said == _TAKEN:
            self.taken = True
        elif said == _WARM:
            self.warm = True
            if self.ahead is not None and self.order is None:
                self._rest()
        elif self.ahead is not None:
            self.kill("oversized")
        else:
            message = wire.decode(said)
            if not isinstance(message, Ready):
                raise TypeError(f"a child said {message}")
            self.layers = message.layers

    def _take_log(self, data: bytes) -> bool:
        if not self.printed.add(data):
            self.kill("printed")
            return False
        return True
