"""Bytes from a pipe: cut into lines of bounded length, or only their end kept."""

from __future__ import annotations

from typing import List

MAX_LOG = 64 << 10
"""Bytes kept of what a trace printed: the last ones."""


class TooLong(Exception):
    """A line is longer than allowed."""


class Lines:
    """Collects what arrives and gives back complete lines, without their newline."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._partial = bytearray()

    def feed(self, data: bytes) -> List[bytes]:
        """The lines that `data` completes.

        Raises:
            TooLong: a line, complete or not, exceeds the limit.
        """
        *complete, rest = data.split(b"\n")
        found: List[bytes] = []
        for piece in complete:
            self._add(piece)
            found.append(bytes(self._partial))
            self._partial.clear()
        self._add(rest)
        return found

    def _add(self, piece: bytes) -> None:
        if len(self._partial) + len(piece) > self._limit:
            raise TooLong(f"a line of more than {self._limit} bytes")
        self._partial += piece


class Tail:
    """The end of what a process printed; the rest is forgotten."""

    def __init__(self, limit: int = MAX_LOG) -> None:
        self._limit = limit
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        """Append, and drop what exceeds the limit from the start."""
        self._data += data
        del self._data[: -self._limit]

    def text(self) -> str:
        """What is kept; what is no UTF-8 is replaced."""
        return self._data.decode("utf-8", "replace")
