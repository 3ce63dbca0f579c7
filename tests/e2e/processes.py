"""Processes below another one, as Linux knows them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from tests.e2e.editor import PATIENCE


def children(pid: int) -> list[int]:
    """All processes below `pid`, however deep; those that ended already do not count."""
    below = _by_parent()
    found: list[int] = []
    queue = [pid]
    while queue:
        new = below.get(queue.pop(), [])
        found += new
        queue += new
    return found


def started_by(pid: int) -> list[int]:
    """The processes that `pid` itself started; what those fork comes and goes."""
    return _by_parent().get(pid, [])


def _by_parent() -> dict[int, list[int]]:
    below: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:  # it ended while we looked
            continue
        state, parent = rest.split()[:2]
        if state != "Z":
            below.setdefault(int(parent), []).append(int(name.split()[0]))
    return below


async def gone(pids: Sequence[int]) -> None:
    """Wait until all of `pids` have ended; a zombie has."""
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(handle, ended.set)
        try:
            await asyncio.wait_for(ended.wait(), PATIENCE)
        except TimeoutError:
            raise AssertionError(f"process {pid} still runs") from None
        finally:
            loop.remove_reader(handle)
            os.close(handle)
