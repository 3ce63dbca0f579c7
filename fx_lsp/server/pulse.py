"""Whether a process that does not answer is stopped, hangs, or only had no time yet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.25
"""Seconds between two looks."""
SILENT = 3
"""Looks in a row that find it asleep although it was asked something."""
BUSY = 10.0
"""Seconds of processor time that it may use up without an answer: it has work of its own between two requests, which
takes a tenth of that."""
UNKNOWN = 40
"""Looks without an answer, where the system does not tell what a process does, or says that it waits for a disk."""

STOPPED = "The worker process was stopped from outside."
HUNG = "The worker did not answer any more and was ended."


@dataclass(frozen=True)
class Sign:
    """What a process does right now."""

    state: str
    """One letter, as in `/proc/PID/stat`."""
    seconds: float
    """Processor time used so far."""


def sign(pid: int) -> Sign | None:
    """What the system says of a process; None where it says nothing."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        return Sign(fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None


class Pulse:
    """Told at regular intervals whether there was an answer since the last time.

    Looks are counted instead of seconds: while this process itself is kept from working, none passes.
    """

    def __init__(self, pids: Sequence[int], look: Callable[[int], Sign | None] = sign) -> None:
        """`pids`: the worker itself last, what it was started by before it."""
        self._pids, self._look = pids, look
        self._silent = self._lost = 0
        self._asked = self._before = 0.0

    def verdict(self, answered: bool) -> str:
        """Why the worker is of no use; empty as long as it may be."""
        signs = [self._look(pid) for pid in self._pids]
        if _stopped(signs):
            return STOPPED
        now = signs[-1]
        seconds = now.seconds if now is not None else 0.0
        if answered:
            self._silent = self._lost = 0
            self._asked = seconds
        elif now is None or now.state not in "RS":
            self._lost += 1
        elif now.state == "S":
            self._silent = self._silent + 1 if seconds == self._before else 0
        self._before = seconds
        busy = seconds - self._asked >= BUSY
        return HUNG if busy or self._silent >= SILENT or self._lost >= UNKNOWN else ""


def _stopped(signs: Iterable[Sign | None]) -> bool:
    return any(sign is not None and sign.state == "T" for sign in signs)
