"""Frames are cut out of whatever arrives, in whatever pieces."""

from __future__ import annotations

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.model.wire import MARKER, MAX_NOISE, WireError, frame
from fx_lsp.worker.frames import Frames, read_frame, skip_to_marker, write_all


@given(st.lists(st.binary(max_size=50)), st.data())
def test_pieces_of_any_size(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, bodies))
    frames, found = Frames(50), list[bytes]()
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += frames.feed(stream[:size])
        stream = stream[size:]
    assert found == bodies


def test_a_frame_that_is_too_long_is_refused_at_its_header() -> None:
    frames = Frames(3)
    assert frames.feed(frame(b"abc") + b"\0\0\0") == [b"abc"]
    with pytest.raises(WireError):
        frames.feed(b"\4")


def test_waiting_for_a_frame() -> None:
    read, write = os.pipe()
    body = b"x" * (1 << 20)  # more than a pipe holds
    writer = threading.Thread(target=write_all, args=(write, frame(body) + frame(b"") + b"\0\0"))
    writer.start()
    assert read_frame(read, 1 << 20) == body
    assert read_frame(read, 0) == b""
    writer.join()
    os.close(write)
    assert read_frame(read, 100) is None
    os.close(read)


@pytest.mark.parametrize("noise", [b"", b"\0", b"\0fx-ls\0", b"noise\n" * 1000])
def test_noise_before_the_marker(noise: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    read, write = os.pipe()
    os.write(write, noise + MARKER + frame(b"first"))
    os.close(write)
    skip_to_marker(read)
    assert read_frame(read, 5) == b"first"
    os.close(read)
    assert capfd.readouterr().err.encode() == noise


@pytest.mark.parametrize("noise", [b"", b"no marker", b"x" * (MAX_NOISE + 100)])
def test_no_marker(noise: bytes) -> None:
    read, write = os.pipe()
    threading.Thread(target=write_all, args=(write, noise)).start()
    if len(noise) < MAX_NOISE:
        os.close(write)
    with pytest.raises(WireError):
        skip_to_marker(read)
    os.close(read)
