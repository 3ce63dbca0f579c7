"""Stopped, hanging, or without time so far: what is made of what the system says of a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest

from fx_lsp.server.pulse import BUSY, HUNG, SILENT, STOPPED, UNKNOWN, Pulse, Sign, sign

ASLEEP = [Sign("S", 1.0)]
STARVED = [Sign("R", 1.0)]
AT_WORK = [Sign("S", 1.0 + number / 100) for number in range(100)]
SPINNING = [Sign("R", 1.0 + number / 4) for number in range(100)]


def verdicts(signs: Sequence[Sign | None], answered: bool = False) -> list[str]:
    """After each look, the first of which follows an answer."""
    left = [signs[0], *signs]
    pulse = Pulse([7], lambda pid: left.pop(0))
    assert pulse.verdict(answered=True) == ""
    return [pulse.verdict(answered) for _ in signs]


@pytest.mark.parametrize(
    ("signs", "looks"),
    [
        (ASLEEP * 200, SILENT),
        (STARVED * 200, None),
        (STARVED * 50 + ASLEEP * 50, 50 + SILENT),
        (ASLEEP + STARVED * 50, None),
        (AT_WORK, None),
        (SPINNING, 1 + int(BUSY * 4)),
        ([Sign("D", 1.0)] * 200, UNKNOWN),
        ([None] * 200, UNKNOWN),
    ],
)
def test_without_an_answer(signs: Sequence[Sign | None], looks: int | None) -> None:
    found = verdicts(signs)
    assert set(found) <= {"", HUNG}
    assert (found.index(HUNG) + 1 if HUNG in found else None) == looks


@pytest.mark.parametrize("signs", [ASLEEP * 100, SPINNING, [Sign("D", 1.0)] * 100, [None] * 100])
def test_with_answers(signs: Sequence[Sign | None]) -> None:
    assert set(verdicts(signs, answered=True)) == {""}


@pytest.mark.parametrize("answered", [False, True])
def test_stopped_is_seen_at_once(answered: bool) -> None:
    assert Pulse([7], lambda pid: Sign("T", 1.0)).verdict(answered) == STOPPED


def test_whoever_started_it_is_stopped() -> None:
    pulse = Pulse([6, 7], lambda pid: Sign("T" if pid == 6 else "S", 1.0))
    assert pulse.verdict(answered=True) == STOPPED


def test_what_the_system_says() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    seen = sign(process.pid)
    assert seen is not None
    assert (seen.state, seen.seconds < 10) == ("T", True)
    process.kill()
    process.wait()
    assert sign(process.pid) is None
    assert process.stdin is not None
    process.stdin.close()
    mine = sign(os.getpid())
    assert mine is not None
    assert mine.seconds == pytest.approx(sum(os.times()[:2]), abs=1.0)
