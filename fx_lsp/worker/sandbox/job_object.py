"""A job object of Windows: memory, number of processes, and an end for all of them together.  Untested.

Files and network are not isolated by it.  Source: winnt.h, "Job Objects" in Microsoft's documentation.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, List

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox._layer import Layer

_EXTENDED_LIMITS = 9
_ACTIVE_PROCESSES, _JOB_MEMORY, _KILL_ON_CLOSE, _DIE_ON_EXCEPTION = 0x8, 0x200, 0x2000, 0x400
_BASIC_UI, _ALL_UI = 4, 0xFF
"""No clipboard, no windows of others, no change of display or system settings, no exit from the system."""
_MOST_PROCESSES = 16
_WORKER = 2 << 30
"""Bytes for the interpreter with torch, beside what a trace may hold."""

_held: List[Any] = []
"""The job lives as long as a handle to it is open, and everything in it dies when the last one is closed."""


class _Basic(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _Extended(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def _available() -> str:
    return "" if sys.platform == "win32" else "only Windows has job objects"


def limits(policy: Policy) -> _Extended:
    """What the job may use."""
    wanted = _Extended()
    basic = wanted.BasicLimitInformation
    basic.LimitFlags = _ACTIVE_PROCESSES | _JOB_MEMORY | _KILL_ON_CLOSE | _DIE_ON_EXCEPTION
    basic.ActiveProcessLimit = _MOST_PROCESSES
    wanted.JobMemoryLimit = policy.memory + _WORKER
    return wanted


def _apply(policy: Policy) -> None:
    """This process and all that it starts; raises OSError."""
    windows: Any = ctypes  # what follows is in there only on Windows
    kernel = windows.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
    _held.append(job)
    wanted, interface = limits(policy), ctypes.c_uint32(_ALL_UI)
    process = ctypes.c_void_p(kernel.GetCurrentProcess())
    for done in (
        job.value,
        kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(wanted), ctypes.sizeof(wanted)),
        kernel.SetInformationJobObject(job, _BASIC_UI, ctypes.byref(interface), ctypes.sizeof(interface)),
        kernel.AssignProcessToJobObject(job, process),
    ):
        if not done:
            raise windows.WinError(windows.get_last_error())


LAYER = Layer(
    name="job-object",
    stage="launcher",
    protects="The worker cannot use up memory, start processes without end, or outlive the server.",
    apply=_apply,
    available=_available,
    detail=lambda policy: "untested; files and network are not isolated",
    platform="win32",
)
