"""Processes as the kernel tells of them, and what else one can leave in it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """One that runs, with what another one could have changed about it."""

    pid: int
    parent: int
    state: str
    """As in `/proc/PID/stat`: `R`, `S`, `T`…"""
    name: str
    resident: int
    """Bytes."""
    limits: str
    affinity: tuple[int, ...]
    nice: int
    out_of_memory: str
    """What it adds to its chance of being killed."""

    @property
    def settings(self) -> tuple[object, ...]:
        """What only itself should change."""
        return self.limits, self.affinity, self.nice, self.out_of_memory

    @property
    def lasting(self) -> tuple[object, ...]:
        """Those that a child of a worker keeps: it has less memory for some requests, and a lower precedence."""
        lines, affinity, _, out_of_memory = self.dress
        return lines, affinity, out_of_memory

    @property
    def dress(self) -> tuple[object, ...]:
        """Those that do not depend on how much memory it has."""
        lines = [
            line for line in self.limits.splitlines() if not line.startswith(("Max address space", "Max data size"))
        ]
        return tuple(lines), self.affinity, self.nice, self.out_of_memory


def processes() -> dict[int, Process]:
    """All of this world but its first; those that ended already do not count."""
    found: dict[int, Process] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        if pid == 1:
            continue
        try:
            name, _, rest = (folder / "stat").read_text().rpartition(")")
            values = rest.split()
            found[pid] = Process(
                pid,
                int(values[1]),
                values[0],
                name.partition("(")[2],
                int(values[21]) * os.sysconf("SC_PAGE_SIZE"),
                (folder / "limits").read_text(),
                tuple(sorted(os.sched_getaffinity(pid))),
                os.getpriority(os.PRIO_PROCESS, pid),
                (folder / "oom_score_adj").read_text().strip(),
            )
        except (OSError, ProcessLookupError):  # it ended while we looked
            continue
    return {pid: process for pid, process in found.items() if process.state not in "ZX"}


def below(pid: int, among: dict[int, Process]) -> list[Process]:
    """The process' children, theirs, and so on."""
    found: list[Process] = []
    queue = [pid]
    while queue:
        parent = queue.pop()
        children = [process for process in among.values() if process.parent == parent]
        found += children
        queue += [child.pid for child in children]
    return found


def descriptors(pid: int) -> int:
    """How many a process has open; 0 when it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def peak(pid: int) -> int:
    """Most memory that a process ever had, in bytes; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def kill_all() -> None:
    """Everything in this world but its first process."""
    for _ in range(50):
        alive = processes()
        if not alive:
            return
        kill(alive)
        reap()


def kill(pids: Iterable[int]) -> None:
    """End them, those that are still there."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def reap(known: Iterable[int] = ()) -> None:
    """The first process of a world is the parent of all orphans; `known` are waited for by others."""
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        if pid not in known:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                continue


def left_in_kernel() -> dict[str, int]:
    """Objects that outlive processes: of System V, and keys."""
    found = {kind: len(Path(f"/proc/sysvipc/{kind}").read_text().splitlines()) - 1 for kind in ("shm", "sem", "msg")}
    keys = Path("/proc/keys")
    found["keys"] = keys.read_text().count("hostile") if keys.exists() else 0
    return found
