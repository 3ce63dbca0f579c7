"""Resource limits of a process that runs user code."""

from __future__ import annotations

import mmap
import os
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import limits
from tests.worker.sandbox.confined import needs_linux, outcome

pytestmark = needs_linux

CHILD = limits.CHILD
SMALL = Policy(memory=64 << 20, seconds=1)


def allocate(size: int) -> str:
    """Memory of the system's: what the allocator got back from earlier tests is held already and would not count."""
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        return "done"


def test_memory_counts_from_what_is_held_at_the_start() -> None:
    assert outcome(lambda: allocate(32 << 20), CHILD, policy=SMALL) == "done"
    assert outcome(lambda: allocate(96 << 20), CHILD, policy=SMALL) == "ENOMEM"
    assert outcome(lambda: allocate(96 << 20)) == "done"


def hide(protection: int, flags: int) -> Any:
    """Memory that is no private writable data any more, or never was, piece by piece."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    kept = []
    for _ in range(16):
        piece = mmap.mmap(-1, 16 << 20, flags, mmap.PROT_READ | mmap.PROT_WRITE)
        piece.write(b"x" * len(piece))
        address = ctypes.addressof(ctypes.c_char.from_buffer(piece))
        libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(len(piece)), protection)
        kept.append(piece)
    return "done"


@pytest.mark.parametrize(
    ("protection", "flags"),
    [(mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), (3, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)],
    ids=["made read-only", "shared"],
)
def test_memory_that_is_not_called_data_is_limited_too(protection: int, flags: int) -> None:
    assert outcome(lambda: hide(protection, flags), CHILD, policy=SMALL) == "ENOMEM"
    assert outcome(lambda: hide(protection, flags)) == "done"


def spin() -> None:
    until = time.process_time() + 8
    while time.process_time() < until:
        pass


def test_processor_time_ends() -> None:
    assert outcome(spin, CHILD, policy=SMALL) in ("SIGKILL", "SIGXCPU")


def test_no_file_grows(tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert outcome(lambda: file.write_text("text"), CHILD) == "EFBIG"
    assert file.read_text() == ""
    assert outcome(lambda: file.write_text("text")) == 4


def test_a_pipe_still_takes_the_answer() -> None:
    assert outcome(lambda: "x" * 40_000, CHILD) == "x" * 40_000


def open_many() -> int:
    return len([os.dup(0) for _ in range(200)])


def test_few_files_are_open() -> None:
    assert outcome(open_many, CHILD) == "EMFILE"
    assert outcome(open_many) == 200


def test_limits_cannot_be_raised_again() -> None:
    def raised() -> list[bool]:
        done = []
        for name in ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC"):
            try:
                resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                done.append(True)
            except (ValueError, OSError):
                done.append(False)
        return done

    from fx_lsp.worker.sandbox import capabilities

    assert outcome(raised, capabilities.LAYER, CHILD) == [False] * 6


def test_limits_that_are_lower_already_stay() -> None:
    def lower() -> list[int]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
        CHILD.apply(Policy())
        return list(resource.getrlimit(resource.RLIMIT_NOFILE))

    assert outcome(lower) == [16, 16]


def test_no_memory_is_dumped_or_locked() -> None:
    def now() -> list[tuple[int, int]]:
        return [resource.getrlimit(which) for which in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK)]

    assert outcome(now, limits.LAUNCHER) == outcome(now, CHILD) == [[0, 0], [0, 0]]


def test_where_memory_cannot_be_limited_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_held", lambda: None)
    report = CHILD.report(Policy())
    assert report.status == "active"
    assert "memory is not limited" in report.why
    assert outcome(lambda: allocate(96 << 20), CHILD, policy=SMALL) == "done"


def test_without_limits_at_all_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "resource", None)
    assert CHILD.report(Policy()).status == limits.LAUNCHER.report(Policy()).status == "missing"
