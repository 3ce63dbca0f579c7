"""The C library of Linux, and its `prctl`: what a process says about itself.

Numbers: include/uapi/linux/prctl.h.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

HERE = sys.platform == "linux"

SET_PDEATHSIG = 1
SET_DUMPABLE = 4
SET_NAME, GET_NAME = 15, 16
GET_SECCOMP, SET_SECCOMP = 21, 22
CAPBSET_READ, CAPBSET_DROP = 23, 24
SET_MM = 35
SET_CHILD_SUBREAPER = 36
SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS = 38, 39
CAP_AMBIENT, CAP_AMBIENT_CLEAR_ALL = 47, 4
SVE_GET_VL, SME_GET_VL = 51, 64
SET_PTRACER = 0x59616D61
SET_VMA = 0x53564D41

libc: Any = ctypes.CDLL(None, use_errno=True) if HERE else None


def prctl(option: int, *arguments: int) -> int:
    """Raises OSError."""
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    return checked(libc.prctl(ctypes.c_int(option), *words), f"prctl({option})")


def syscall(number: int, *arguments: Any) -> int:
    """A system call that the C library has no function for; -1 on failure, with the reason in ctypes' errno."""
    return int(libc.syscall(ctypes.c_long(number), *arguments))


def checked(result: int, what: str) -> int:
    """The result of a C function; raises OSError if it is negative."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def no_new_privileges() -> None:
    """From here on nothing that is executed gains privileges; unprivileged Landlock and seccomp ask for it."""
    prctl(SET_NO_NEW_PRIVS, 1)
