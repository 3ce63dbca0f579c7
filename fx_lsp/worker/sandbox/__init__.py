"""The one place where a trace is kept from doing harm.

For now it sets resource limits, a quiet environment and ties between processes; the full sandbox (files, network,
system calls) is a later piece of work and belongs here.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
import threading
from typing import List, Optional

from fx_lsp.model.messages import TraceRequest

try:
    import resource
except ImportError:  # Windows
    resource = None

QUIET = {
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM")},
    "CUDA_VISIBLE_DEVICES": "",
    "HIP_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "WANDB_MODE": "disabled",
    "TOKENIZERS_PARALLELISM": "false",
}
"""One thread, no accelerator, no hub: what a trace does must not depend on the machine, nor load it."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def prepare_environment() -> None:
    """Make this process quiet; call it before anything is imported that starts threads or looks for devices."""
    os.environ.update(QUIET)


def adopt_orphans() -> None:
    """Become the parent of whatever the children leave behind, and know now what they cannot find out any more.

    A child may not write files, so it could not try out folders for temporary ones.
    """
    tempfile.gettempdir()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def threads() -> int:
    """Threads of this process, those that libraries started included where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def orphans(known: set[int]) -> List[int]:
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
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def restrict_child(request: TraceRequest) -> None:
    """Limit what this process, and what it starts, may use: memory, no files written, no core dumps."""
    sys.dont_write_bytecode = True
    if resource is None:
        return
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    held = _data_bytes()
    if held is not None:
        limits.append((resource.RLIMIT_DATA, held + request.memory))
    for limit, wanted in limits:
        _, hard = resource.getrlimit(limit)
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (allowed, allowed))


def _data_bytes() -> Optional[int]:
    """Private writable memory of this process; None where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
        return int(lines["VmData"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        return None


def _prctl(option: int, argument: int) -> None:
    """Linux only; elsewhere the zygote's own clearing up has to do."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(option, ctypes.c_ulong(argument), zero, zero, zero):
        code = ctypes.get_errno()
        raise OSError(code, f"prctl({option}): {os.strerror(code)}")
