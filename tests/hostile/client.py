"""A language client that keeps every byte the server sends: what leaks is found there, in whatever field it is."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

ANSWER = 30.0
PATIENCE = 240.0
"""Seconds after which a wait for an answer, or for anything else, has failed; a start on a busy machine takes long."""


class Silence(Exception):
    """The server did not answer in time, or is gone."""


class Client:
    """One session over stdio.  Threads read, so that a server that hangs is seen."""

    def __init__(self, process: subprocess.Popen[bytes], settings: Mapping[str, Any] | None = None) -> None:
        self.process = process
        self._settings = settings
        self.raw: list[bytes] = []
        """What the server sent, messages and stderr alike."""
        self.messages: list[dict[str, Any]] = []
        self.ended = False
        self._answers: dict[int, dict[str, Any]] = {}
        self._number = 0
        self._news = threading.Condition()
        self._sending = threading.Lock()
        for target in (self._read, self._read_stderr):
            threading.Thread(target=target, daemon=True).start()

    def ask(self, method: str, params: Any, patience: float = ANSWER) -> Any:
        """The result of a request; an error is a result too.

        Raises:
            Silence: there was none in time.
        """
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        self.until(lambda: number in self._answers, patience, f"the answer to {method}")
        answer = self._answers.pop(number)
        return answer.get("result", answer.get("error"))

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def until(self, done: Callable[[], bool], patience: float, what: str) -> None:
        """Wait until something that the server sends makes `done` true.

        Raises:
            Silence: it did not in time.
        """
        limit = time.monotonic() + patience
        with self._news:
            while not done():
                left = limit - time.monotonic()
                if left <= 0 or self.ended:
                    why = "the server is gone" if self.ended else f"nothing within {patience:g} s"
                    raise Silence(f"waited for {what}: {why}; last it said: {self.end()}")
                self._news.wait(min(left, 0.5))

    def notifications(self, method: str, start: int = 0) -> Iterator[dict[str, Any]]:
        """The parameters of those received, from message number `start`."""
        for message in self.messages[start:]:
            if message.get("method") == method:
                yield message["params"]

    def end(self) -> str:
        """The last that it said."""
        return b"".join(self.raw[-40:]).decode("utf-8", "replace")[-2000:]

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        try:
            with self._sending:
                self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self.process.stdin.flush()
        except OSError as error:
            raise Silence(f"the server does not read: {error}") from None

    def _read(self) -> None:
        assert self.process.stdout is not None
        stream = self.process.stdout
        while header := stream.readline():
            self.raw.append(header)
            if not header.lower().startswith(b"content-length:"):
                continue
            while stream.readline().strip():
                pass
            body = stream.read(int(header.split(b":")[1]))
            self.raw.append(body)
            self._take(json.loads(body))
        with self._news:
            self.ended = True
            self._news.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            asked = message["params"].get("items") if isinstance(message.get("params"), dict) else None
            result: Any = {"applied": True} if message["method"] == "workspace/applyEdit" else None
            if message["method"] == "workspace/configuration" and asked:
                result = [self._settings] * len(asked)
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        with self._news:
            if "method" in message:
                self.messages.append(message)
            else:
                self._answers[message["id"]] = message
            self._news.notify_all()

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := os.read(self.process.stderr.fileno(), 1 << 16):
            self.raw.append(data)
