"""Talking to a worker process in its own words, with a limit on every wait."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fx_lsp.model import wire
from fx_lsp.model.messages import MAX_REPLY, Output
from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.frames import Frames, skip_to_marker

SECONDS = 60.0
LAUNCHER = Path(__file__).parents[2] / "fx_lsp" / "worker" / "launcher.py"


class Answer(NamedTuple):
    """What became of a run."""

    output: Output
    reply: bytes | None
    """The child's reply, unread."""


def confined(policy: Policy, *command: str) -> tuple[str, ...]:
    """The command as the server starts it: by the launcher."""
    return (sys.executable, "-I", "-S", str(LAUNCHER), wire.encode(policy).decode(), "--", *command)


class Conversation:
    """A worker process, started and spoken to."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        env = {**os.environ, **(environment or {})}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, bufsize=0)
        self._frames: queue.Queue[bytes] = queue.Queue()
        self._stderr = bytearray()
        self._threads = [threading.Thread(target=read) for read in (self._read_stdout, self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Any) -> None:
        self.send_bytes(wire.frame(wire.encode(message)))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def receive(self) -> Any:
        """The next message; fails after a while."""
        return wire.decode(self.receive_frame())

    def answer(self) -> Answer:
        """The next message, which is what became of a run."""
        output = self.receive()
        assert isinstance(output, Output)
        return Answer(output, self.receive_frame() if output.replied else None)

    def receive_frame(self) -> bytes:
        return self._frames.get(timeout=SECONDS)

    def hang_up(self) -> int:
        """Close its input and wait for the end: the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        status = self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
            assert not thread.is_alive(), "something still holds a pipe of the worker"
        return status

    def stderr(self) -> str:
        """All of it; call it after the end."""
        return self._stderr.decode()

    @property
    def said(self) -> str:
        """What there is of it by now."""
        return self._stderr.decode("utf-8", "replace")

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        frames = Frames(MAX_REPLY)
        with contextlib.suppress(wire.WireError):  # it ended without a word
            skip_to_marker(fd)
        while data := os.read(fd, 1 << 20):
            for body in frames.feed(data):
                self._frames.put(body)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := self.process.stderr.read(1 << 16):
            self._stderr += data


class Held:
    """A pipe with a name: open as long as one process that opened it for writing lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def hold(self) -> str:
        """Code that opens it and says so."""
        return f"import os; os.write(os.open({str(self.path)!r}, os.O_WRONLY), b'!')"

    def wait_until_held(self) -> None:
        ready, _, _ = select.select([self._fd], [], [], SECONDS)
        assert ready, "nobody opened the pipe"
        assert os.read(self._fd, 1) == b"!"

    def wait_until_free(self) -> None:
        """Returns when every process that opened it is gone."""
        while True:
            ready, _, _ = select.select([self._fd], [], [], SECONDS)
            assert ready, "a process that holds the pipe lives on"
            if not os.read(self._fd, 1 << 16):
                os.close(self._fd)
                return
