"""Frames from a pipe, see `wire`: cut out of what arrives, or waited for; and their other end."""

from __future__ import annotations

import os
from typing import Callable, List, Optional

from fx_lsp.model import wire

_CHUNK = 1 << 18


class Frames:
    """Collects what arrives and gives back the bodies of complete frames."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._partial = bytearray()

    def feed(self, data: bytes) -> List[bytes]:
        """The bodies that `data` completes.

        Raises:
            WireError: a frame is announced that is longer than the limit.
        """
        self._partial += data
        found: List[bytes] = []
        start = 0
        while len(self._partial) - start >= wire.HEADER:
            body = start + wire.HEADER
            end = body + wire.length(bytes(self._partial[start:body]), self.limit)
            if end > len(self._partial):
                break
            found.append(bytes(self._partial[body:end]))
            start = end
        del self._partial[:start]
        return found


def read_frame(fd: int, limit: int) -> Optional[bytes]:
    """Wait for the body of the next frame; None when the pipe ends before it is complete.

    Raises:
        WireError: it is longer than the limit.
    """
    header = _read(fd, wire.HEADER)
    return None if header is None else _read(fd, wire.length(header, limit))


def write_all(fd: int, data: bytes, write: Callable[[int, memoryview], int] = os.write) -> None:
    """Write everything, however long the other end takes; with `os.write` as it was before any user code ran.

    Raises:
        OSError: nobody reads it any more.
    """
    left = memoryview(data)
    while left:
        left = left[write(fd, left) :]


def _read(fd: int, size: int) -> Optional[bytes]:
    found = bytearray()
    while len(found) < size:
        data = os.read(fd, min(size - len(found), _CHUNK))
        if not data:
            return None
        found += data
    return bytes(found)


def skip_to_marker(fd: int) -> None:
    """Read up to the end of the marker; what was printed before it goes to stderr.

    Raises:
        WireError: there is none.
    """
    noise = bytearray()
    while not noise.endswith(wire.MARKER):
        data = os.read(fd, 1)
        if not data or len(noise) > wire.MAX_NOISE:
            raise wire.WireError("no marker")
        noise += data
    if len(noise) > len(wire.MARKER):
        os.write(2, noise[: -len(wire.MARKER)])
