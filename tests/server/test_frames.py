"""What a worker sends is read within bounds, however it is cut and whatever it is."""

from __future__ import annotations

import asyncio
import struct

from hypothesis import example, given
from hypothesis import strategies as st

from fx_lsp.model import wire
from fx_lsp.server.frames import read_frame, skip_to_marker

LIMIT = 64


async def read_all(data: bytes) -> tuple[bytes | None, list[bytes]]:
    """What came before the marker, None without one; then the frames up to the first that is none."""
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    frames: list[bytes] = []
    try:
        noise = await skip_to_marker(stream)
    except wire.WireError:
        return None, frames
    try:
        while (frame := await read_frame(stream, LIMIT)) is not None:
            frames.append(frame)
    except wire.WireError:
        pass
    return noise, frames


@given(st.binary(max_size=200))
@example(wire.MARKER)
@example(wire.MARKER + struct.pack("!I", 0xFFFFFFFF))
@example(wire.MARKER[:-1])
def test_garbage_ends_and_is_no_error_of_ours(data: bytes) -> None:
    _, frames = asyncio.run(read_all(data))
    assert all(len(frame) <= LIMIT for frame in frames)


@given(st.binary(max_size=60), st.lists(st.binary(max_size=LIMIT), max_size=5), st.binary(max_size=3))
def test_whole_frames_are_found_between_noise_and_a_cut_one(noise: bytes, bodies: list[bytes], cut: bytes) -> None:
    if wire.MARKER in noise + wire.MARKER[:-1]:
        return
    data = noise + wire.MARKER + b"".join(wire.frame(body) for body in bodies) + cut
    assert asyncio.run(read_all(data)) == (noise, bodies)


def test_noise_is_bounded() -> None:
    assert asyncio.run(read_all(b"x" * (wire.MAX_NOISE + 100) + wire.MARKER)) == (None, [])
