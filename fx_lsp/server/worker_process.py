"""One worker process from start to end: launched by file path in the user's interpreter, spoken to in lines."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import fx_lsp
from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_OUTPUT, PROTOCOL, Cancel, Hello, Output, StartFailed, TraceRequest
from fx_lsp.server.environment import allowed_environment
from fx_lsp.server.replies import decode

SCRIPT = Path(fx_lsp.__file__).parent / "worker" / "main.py"

MAX_LOG = 64 << 10
"""Characters kept of the worker's stderr: the last ones."""

_END_SECONDS = 5.0


class StartError(Exception):
    """There is no worker.  `final`: another try would fare no better."""

    def __init__(self, message: str, final: bool = False, detail: str = "") -> None:
        super().__init__(message)
        self.final = final
        self.detail = detail


class WorkerDied(Exception):
    """The process ended while it was asked something; `detail` is the end of its stderr."""

    def __init__(self, message: str, detail: str) -> None:
        super().__init__(message)
        self.detail = detail


class WorkerProcess:
    """A running worker that said hello."""

    def __init__(self, process: asyncio.subprocess.Process, log: Callable[[str], None]) -> None:
        self._process = process
        self._log = log
        self._pending: dict[int, asyncio.Future[Output]] = {}
        self._stderr = ""
        self._tasks = [asyncio.create_task(self._read_stderr())]
        self.alive = True
        """Whether it may still be asked something."""
        self.hello = Hello(protocol=0, python="", torch="", pid=0)

    @classmethod
    async def launch(
        cls,
        interpreter: str,
        *,
        log: Callable[[str], None],
        ended: Callable[[WorkerProcess, str], None],
        seconds: float,
        arguments: tuple[str, ...] = (),
    ) -> WorkerProcess:
        """Start a worker and wait for its hello, at most `seconds`; `ended` is called when it dies after that.

        Raises:
            StartError: there is none, with one sentence for the user.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                interpreter,
                str(SCRIPT),
                *arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=allowed_environment(os.environ),
                limit=MAX_OUTPUT,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            what_to_do = "choose another interpreter with the setting `fx-lsp.interpreter`."
            raise StartError(f"{interpreter} cannot be started ({reason}): {what_to_do}", final=True) from None
        worker = cls(process, log)
        try:
            await worker._greet(interpreter, seconds)
        except BaseException:
            await worker.kill("The worker did not get ready.")
            raise
        worker._tasks.append(asyncio.create_task(worker._read_outputs(ended)))
        return worker

    @property
    def stderr(self) -> str:
        """The end of what it printed."""
        return self._stderr

    async def ask(self, request: TraceRequest, line: str, grace: float) -> Output:
        """What became of a request, whose encoded `line` is sent; cancelled, its child is killed.

        Raises:
            WorkerDied: the worker ended first.
            TimeoutError: no answer `grace` seconds after the request's own limit.  The worker is of no use any more.
        """
        future: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = future
        try:
            async with asyncio.timeout(request.seconds + grace):
                await self._send(line)
                return await future
        except asyncio.CancelledError:
            self._write(wire.encode(Cancel(request.id)))
            raise
        finally:
            del self._pending[request.id]

    def tell(self, line: str) -> None:
        """Send a message that has no answer."""
        self._write(line)

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
        try:
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            self._log(f"the worker {self._process.pid} does not end")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _signal(self) -> None:
        """SIGKILL to its process group: the interpreter may be a script that started the real one."""
        if self._process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    async def _greet(self, interpreter: str, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                message = await self._first_message()
        except TimeoutError:
            message = f"{interpreter} did not get ready within {seconds:g} s."
            raise StartError(message, final=True, detail=self._stderr) from None
        if isinstance(message, StartFailed):
            raise StartError(message.message, final=True, detail=self._stderr)
        if message is None:
            await asyncio.wait({self._tasks[0]}, timeout=_END_SECONDS)  # the rest of its stderr
            last = next((line for line in reversed(self._stderr.splitlines()) if line.strip()), "no message")
            raise StartError(f"{interpreter} ended before it was ready: {last.strip()}", detail=self._stderr)
        if message.protocol != PROTOCOL:
            raise StartError(
                f"The worker speaks protocol {message.protocol} and this server {PROTOCOL}: reinstall fx-lsp.",
                final=True,
            )
        self.hello = message

    async def _first_message(self) -> Hello | StartFailed | None:
        """The first line that is one of ours: something that runs at every start of Python may print before us."""
        while True:
            line = await self._read_line()
            if line is None:
                return None
            try:
                message = wire.decode(line)
            except wire.WireError:
                self._log(f"worker: {line.decode('utf-8', 'replace').rstrip()[:1000]}")
                continue
            if isinstance(message, (Hello, StartFailed)):
                return message

    async def _read_line(self) -> bytes | None:
        """The next line; None at the end, or when the line is longer than any of ours."""
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
        except (ValueError, OSError) as error:
            self._log(f"worker: its output cannot be read: {error}")
            return None
        return line if line.endswith(b"\n") else None

    async def _read_outputs(self, ended: Callable[[WorkerProcess, str], None]) -> None:
        while (line := await self._read_line()) is not None:
            try:
                message = await decode(line)
            except wire.WireError as error:
                self._log(f"worker: a line that is none of ours: {error}")
                continue
            future = self._pending.get(message.id) if isinstance(message, Output) else None
            if future is not None and not future.done():
                future.set_result(message)
        self.alive = False
        self._signal()  # whoever closed that pipe, the process is of no use without it
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._drain(), _END_SECONDS)
        code = await self._process.wait()
        await asyncio.wait({self._tasks[0]}, timeout=_END_SECONDS)
        message = f"The worker process ended unexpectedly ({_ending(code)})."
        self._finish(message)
        ended(self, message)

    async def _drain(self) -> None:
        """Read to the end: a pipe that is full is not read any more, and so the end of its process goes unnoticed."""
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            while await self._process.stdout.read(1 << 16):
                pass

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(1 << 16):
            text = data.decode("utf-8", "replace")
            self._stderr = (self._stderr + text)[-MAX_LOG:]
            for line in text.splitlines():
                self._log(f"worker: {line}")

    def _finish(self, reason: str) -> None:
        self.alive = False
        for future in self._pending.values():
            if not future.done():
                future.set_exception(WorkerDied(reason, self._stderr))

    async def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._write(line)
        with contextlib.suppress(ConnectionError):  # the reader of its output notices the end
            await self._process.stdin.drain()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(line.encode("ascii") + b"\n")


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit status {code}"
