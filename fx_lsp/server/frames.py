"""Frames from a worker, see `wire`."""

from __future__ import annotations

import asyncio

from fx_lsp.model import wire


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


async def read_frame(stream: asyncio.StreamReader, limit: int) -> bytes | None:
    """The body of the next frame; None when the stream ended before it was complete.

    Raises:
        WireError: it is longer than `limit`.
    """
    try:
        return await stream.readexactly(wire.length(await stream.readexactly(wire.HEADER), limit))
    except (asyncio.IncompleteReadError, OSError):
        return None
