"""Frames from a worker, see `wire`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fx_lsp.model import wire

_PIECE = 1 << 16


async def skip_to_marker(stream: asyncio.StreamReader) -> bytes:
    """Read up to the end of the marker; what came before it was printed at the start of Python, and is returned.

    Raises:
        WireError: the stream ended without one, or there was more noise than is borne.
    """
    noise = bytearray()
    while not noise.endswith(wire.MARKER):
        if len(noise) > wire.MAX_NOISE or not (data := await stream.read(1)):
            raise wire.WireError("no marker")
        noise += data
    return bytes(noise[: -len(wire.MARKER)])


async def read_frame(
    stream: asyncio.StreamReader, limit: int, heard: Callable[[], None] = lambda: None
) -> bytes | None:
    """The body of the next frame; None when the stream ended before it was complete.  `heard` is told of each piece: a
    large body takes its time when there is much else to do.

    Raises:
        WireError: it is longer than `limit`.
    """
    try:
        left = wire.length(await stream.readexactly(wire.HEADER), limit)
        pieces: list[bytes] = []
        while left and (piece := await stream.read(min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
            heard()
        return None if left else b"".join(pieces)
    except (asyncio.IncompleteReadError, OSError):
        return None
