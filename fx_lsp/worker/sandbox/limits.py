"""Resource limits: memory, processor time, open files; and no file grows."""

from __future__ import annotations

import math
import mmap
from typing import Optional, Tuple

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _threads
from fx_lsp.worker.sandbox._layer import Layer

try:
    import resource
except ImportError:  # Windows
    resource = None

_OPEN_FILES = 128
_SPARE_SECONDS = 2
"""Processor time that a child may have used before its request comes."""


def _available() -> str:
    return "" if resource else "there are no resource limits on this system"


def _lower(name: str, value: int) -> None:
    """Never raise one, and pass over those that this system lacks."""
    limit: Optional[int] = getattr(resource, name, None)
    if resource is None or limit is None:
        return
    _, hard = resource.getrlimit(limit)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (allowed, allowed))


def _apply_launcher(policy: Policy) -> None:
    for name in ("RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO"):
        _lower(name, 0)


def _apply_child(policy: Policy) -> None:
    """The whole address space is limited too: what was written may be made read-only, and is no data then."""
    held = _held()
    if held is not None:
        space, data = held
        _lower("RLIMIT_AS", space + 2 * policy.memory)
        _lower("RLIMIT_DATA", data + policy.memory)
    _lower("RLIMIT_CPU", math.ceil(policy.seconds) + _SPARE_SECONDS)
    for name in ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE"):
        _lower(name, 0)
    _threads.timers_never_due()
    _lower("RLIMIT_SIGPENDING", 64)
    _lower("RLIMIT_NOFILE", _OPEN_FILES)


def _held() -> Optional[Tuple[int, int]]:
    """Address space and private writable memory of this process in bytes; None where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            pages = statm.read().split()
        return int(pages[0]) * mmap.PAGESIZE, int(pages[5]) * mmap.PAGESIZE
    except (OSError, IndexError, ValueError):
        return None


def _detail(policy: Policy) -> str:
    return "" if _held() else "but memory is not limited, since the system does not tell how much is held"


LAUNCHER = Layer(
    name="limits",
    stage="launcher",
    protects="The worker leaves no memory dump and locks no memory.",
    apply=_apply_launcher,
    available=_available,
)

CHILD = Layer(
    name="limits",
    stage="child",
    protects="A model cannot use up memory, processor time or disk space.",
    apply=_apply_child,
    available=_available,
    detail=_detail,
)
