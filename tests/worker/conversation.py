"""Talking to a worker process in its own words, with a limit on every wait."""

from __future__ import annotations

import os
import queue
import select
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fx_lsp.model import wire

SECONDS = 60.0


class Conversation:
    """A worker process, started and spoken to."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        env = {**os.environ, **(environment or {})}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, bufsize=0)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._stderr = bytearray()
        self._threads = [threading.Thread(target=read) for read in (self._read_stdout, self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Any) -> None:
        self.send_bytes(wire.encode(message).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def receive(self) -> Any:
        """The next message; fails after a while."""
        return wire.decode(self.receive_line())

    def receive_line(self) -> bytes:
        return self._lines.get(timeout=SECONDS)

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
        partial = bytearray()
        while data := self.process.stdout.read(1 << 20):
            partial += data
            while b"\n" in data:
                line, _, rest = partial.partition(b"\n")
                self._lines.put(bytes(line))
                partial = data = bytearray(rest)

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
