"""Frames of a run lie in one chunk: no system calls at a chunk's end."""

import sys

import pytest

from fx_lsp.worker.room import CHUNKED, with_room

resource = pytest.importorskip("resource", reason="page faults are counted by POSIX's getrusage")


def deep(depth: int) -> int:
    return 1 + deep(depth - 1) if depth else 0


def faults(depth: int) -> int:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        deep(depth)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_returns_what_the_function_returns() -> None:
    assert with_room(divmod, 7, 2) == (3, 1)


def test_an_error_comes_through_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        with_room(divmod, 7, 0)


@pytest.mark.skipif(not CHUNKED[0] <= sys.version_info[:2] <= CHUNKED[1], reason="another layout of frames")
def test_calls_at_the_end_of_a_chunk_map_no_memory_each_time() -> None:
    """Some depth below 400 ends in another chunk than the one above it, whatever the depth here."""
    without = sum(faults(depth) for depth in range(0, 400, 4))
    within = with_room(lambda: sum(faults(depth) for depth in range(0, 400, 4)))
    assert within < without / 4
