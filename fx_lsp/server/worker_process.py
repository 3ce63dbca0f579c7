"""One worker process from start to end: spoken to in frames, watched, and ended when it is of no use."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass

from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_MESSAGE, MAX_REPLY, Cancel, Hello, Output, Ping, Pong, TraceRequest
from fx_lsp.model.sandbox import Policy
from fx_lsp.server import pulse
from fx_lsp.server.frames import read_frame
from fx_lsp.server.greeting import StartError, greeted, started
from fx_lsp.server.pulse import Pulse

MAX_LOG = 64 << 10
"""Characters kept of the worker's stderr: the last ones."""

_END_SECONDS = 5.0
_CLOSING_SECONDS = 0.2
"""Between the end of its pipes and its own, so that it is known how it ended."""


class WorkerDied(Exception):
    """The process ended while it was asked something; `detail` is the end of its stderr."""

    def __init__(self, message: str, detail: str) -> None:
        super().__init__(message)
        self.detail = detail


@dataclass(frozen=True)
class Answer:
    """What became of a run."""

    output: Output
    reply: bytes | None
    """The child's reply, unread."""


class WorkerProcess:
    """A running worker that said hello."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        log: Callable[[str], None],
        ended: Callable[[WorkerProcess, str], None],
    ) -> None:
        self._process, self._log, self._ended = process, log, ended
        self._pending: dict[int, asyncio.Future[Answer]] = {}
        self._stderr = ""
        self._pong = self._heard = 0
        self._words = asyncio.create_task(self._read_stderr())
        self._tasks = [self._words]
        self.alive = True
        """Whether it may still be asked something."""
        self.hello = Hello(protocol=0, python="", torch="", pid=0)

    @classmethod
    async def launch(
        cls,
        interpreter: str,
        policy: Policy,
        *,
        log: Callable[[str], None],
        ended: Callable[[WorkerProcess, str], None],
        seconds: float,
    ) -> WorkerProcess:
        """Start a worker and wait for its hello, at most `seconds`; `ended` is called when it dies after that.

        Raises:
            StartError: there is none, with one sentence for the user.
        """
        worker = cls(await started(interpreter, policy), log, ended)
        try:
            await worker._greet(interpreter, seconds)
        except BaseException:
            await worker.kill("The worker did not get ready.")
            raise
        for work in (worker._read_answers(), worker._watch_input(), worker._watch_pulse()):
            worker._tasks.append(asyncio.create_task(work))
        return worker

    @property
    def stderr(self) -> str:
        """The end of what it printed."""
        return self._stderr

    async def ask(self, request: TraceRequest, body: bytes, grace: float) -> Answer:
        """What became of a request, whose encoded `body` is sent; cancelled, its child is killed.

        Raises:
            WorkerDied: the worker ended first.
            TimeoutError: no answer `grace` seconds after the request's own limit.  The worker is of no use any more.
        """
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = future
        try:
            async with asyncio.timeout(request.seconds + grace):
                self.tell(body)
                return await future
        except asyncio.CancelledError:
            self.tell(wire.encode(Cancel(request.id)))
            raise
        finally:
            del self._pending[request.id]

    def tell(self, body: bytes) -> None:
        """Send a message."""
        assert self._process.stdin is not None
        if self.alive and not self._process.stdin.is_closing():
            self._process.stdin.write(wire.frame(body))

    async def stop(self, reason: str = "The worker was stopped.") -> None:
        """End it and wait until it is gone; it ends its children itself when its input closes."""
        self._finish(reason)
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        await self.kill(reason)

    async def kill(self, reason: str) -> None:
        """End it at once and wait until it is gone."""
        self._finish(reason)
        self._signal()
        if not await self._is_over(_END_SECONDS):
            self._log(f"the worker {self._process.pid} does not end")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _signal(self) -> None:
        """SIGKILL to its process group, which may outlive it: the interpreter may be a script that started others."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if not hasattr(os, "killpg"):
                self._process.kill()
            elif self._process.returncode is None or not _is_taken(self._process.pid):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _greet(self, interpreter: str, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                hello = await self._greeting(interpreter)
        except TimeoutError:
            message = f"{interpreter} did not get ready within {seconds:g} s."
            raise StartError(message, final=True, detail=self._stderr) from None
        if hello is None:
            self._signal()
            await asyncio.wait({self._words}, timeout=_END_SECONDS)
            last = next((line for line in reversed(self._stderr.splitlines()) if line.strip()), "no message")
            raise StartError(f"{interpreter} ended before it was ready: {last.strip()}", detail=self._stderr)
        self.hello = hello

    async def _greeting(self, interpreter: str) -> Hello | None:
        """Its hello; None once it ended without, though others that it started may hold its pipes open."""
        assert self._process.stdout is not None
        hello = asyncio.create_task(greeted(self._process.stdout, self._log))
        try:
            while not hello.done() and self._process.returncode is None:
                await asyncio.wait({hello}, timeout=pulse.INTERVAL)
                sign = pulse.sign(self._process.pid)
                if sign is not None and sign.state == "T":
                    raise StartError(pulse.STOPPED)
            await asyncio.wait({hello}, timeout=_CLOSING_SECONDS)
            return hello.result() if hello.done() else None
        finally:
            hello.cancel()

    # -- what it says --------------------------------------------------------------------------------------------

    async def _read_answers(self) -> None:
        assert self._process.stdout is not None
        try:
            while (body := await read_frame(self._process.stdout, MAX_MESSAGE)) is not None:
                self._heard += 1
                await self._take(body, self._process.stdout)
        except wire.WireError as error:
            self._log(f"worker: what it says is none of ours: {error}")
        # Whoever closed that pipe, the process is of no use without it.
        await self._lose("")

    async def _take(self, body: bytes, stream: asyncio.StreamReader) -> None:
        """Raises WireError."""
        message = wire.decode(body)
        if isinstance(message, Pong):
            self._pong = message.id
        elif isinstance(message, Output):
            reply = await read_frame(stream, MAX_REPLY, self._hear) if message.replied else None
            future = self._pending.get(message.id)
            if future is not None and not future.done():
                future.set_result(Answer(message, reply))
        else:
            raise wire.WireError(f"a {message.kind}")

    def _hear(self) -> None:
        self._heard += 1

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(1 << 16):
            text = data.decode("utf-8", "replace")
            self._stderr = (self._stderr + text)[-MAX_LOG:]
            for line in text.splitlines():
                self._log(f"worker: {line}")

    # -- whether it is there -------------------------------------------------------------------------------------

    async def _watch_input(self) -> None:
        """A worker that does not listen any more is lost, even if it lives on."""
        assert self._process.stdin is not None
        closed = asyncio.ensure_future(self._process.stdin.wait_closed())
        await asyncio.wait({closed})  # which, unlike waiting for it, does not cancel what belongs to the stream
        closed.exception()
        await self._lose("")

    async def _watch_pulse(self) -> None:
        """Ask it again and again whether it is there."""
        watched = Pulse([self._process.pid] if self.hello.pid == self._process.pid else self._both())
        asked = heard = 0
        while self.alive:
            await asyncio.sleep(pulse.INTERVAL)
            why = watched.verdict(self._pong == asked or self._heard != heard)
            if why:
                await self._lose(why)
            heard = self._heard
            if self._pong == asked:
                asked += 1
                self.tell(wire.encode(Ping(asked)))

    def _both(self) -> list[int]:
        """The process that was started, and the one that it started and that says it is the worker, if that is so."""
        pids = [self._process.pid]
        with contextlib.suppress(OSError):
            if os.getsid(self.hello.pid) == self._process.pid:
                pids.append(self.hello.pid)
        return pids

    async def _lose(self, why: str) -> None:
        """It is of no use any more: end it and tell; without a reason, because it ended by itself."""
        if not self.alive:
            return
        self.alive = False
        message = why or f"The worker process ended unexpectedly ({await self._ending()})."
        self._signal()
        self._finish(message)
        self._ended(self, message)

    async def _ending(self) -> str:
        """How the process ended, and if it lives on, by our hand."""
        if not await self._is_over(_CLOSING_SECONDS):
            self._signal()
            await self._is_over(_END_SECONDS)
        await asyncio.wait({self._words}, timeout=_END_SECONDS)
        code = self._process.returncode
        return "it does not end" if code is None else f"signal {-code}" if code < 0 else f"exit status {code}"

    async def _is_over(self, seconds: float) -> bool:
        """Whether the process ends within so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._drain()
                await self._process.wait()
        except TimeoutError:
            return False
        return True

    async def _drain(self) -> None:
        """Read to the end: a pipe that is full is not read any more, and so the end of its process goes unnoticed."""
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, RuntimeError):
            while await self._process.stdout.read(1 << 16):
                pass

    def _finish(self, reason: str) -> None:
        self.alive = False
        for future in self._pending.values():
            if not future.done():
                future.set_exception(WorkerDied(reason, self._stderr))


def _is_taken(pid: int) -> bool:
    """Whether a process has this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
