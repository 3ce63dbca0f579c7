"""What a process of the worker does about others: the one it belongs to, and those it is answerable for."""

from __future__ import annotations

import os
import signal
from typing import List, Set

from fx_lsp.worker.sandbox import _prctl
from fx_lsp.worker.sandbox._threads import alone
from fx_lsp.worker.sandbox._threads import count as threads

__all__ = ["adopt_orphans", "alone", "orphans", "threads", "tie_to"]


def adopt_orphans() -> None:
    """Become the parent of whatever the children leave behind."""
    if _prctl.HERE:
        _prctl.prctl(_prctl.SET_CHILD_SUBREAPER, 1)


def orphans(known: Set[int]) -> List[int]:
    """Child processes of this one that are not `known`; empty where the system does not tell."""
    found: List[int] = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", encoding="ascii") as children:
                found.extend(int(pid) for pid in children.read().split())
    except OSError:
        return []
    return [pid for pid in found if pid not in known]


def tie_to(parent: int) -> None:
    """Die with `parent`, where the system can do that; at once if it is gone already."""
    if _prctl.HERE:
        _prctl.prctl(_prctl.SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
