"""The filters of system calls, and how the kernel is given one."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import Any, Iterable, Optional

from fx_lsp.worker.sandbox import _calls, _prctl
from fx_lsp.worker.sandbox._bpf import ALLOWED, ANY_BIT, EQUALS, MASK, Filter, argument, error
from fx_lsp.worker.sandbox._syscalls import NEWEST, NUMBERS

ARCHITECTURES = {
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
}
"""What a machine calls itself: its number (include/uapi/linux/audit.h) and its column in the table."""

_SET_MODE_FILTER, _ALL_THREADS = 1, 1
"""SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC: include/uapi/linux/seccomp.h."""
_ITSELF = 0
"""The process that asks, for `setpriority`."""
_TRUNCATE, _CREATE, _ACCESS, _WRITE, _BOTH = 0x200, 0x40, 0x3, 0x1, 0x2
"""O_TRUNC, O_CREAT, O_ACCMODE, O_WRONLY, O_RDWR, alike on both architectures."""


def available() -> str:
    """Why there is no seccomp here; empty if there is."""
    if not _prctl.HERE:
        return "only Linux has seccomp"
    bits = 8 * struct.calcsize("P")
    if machine() not in ARCHITECTURES or bits != 64:
        return f"there is no filter for {machine()} with {bits} bits"
    # Without a filter it fails in any case: EFAULT where it is known, ENOSYS or EINVAL where it is not.
    known = _set_filter(ctypes.c_void_p(None)) < 0 and ctypes.get_errno() == errno.EFAULT
    return "" if known else "this kernel has no seccomp filters, or only those of before Linux 3.17"


def machine() -> str:
    """What this one calls itself."""
    return os.uname().machine


def base_filter(machine: str, pid: int) -> bytes:
    """For the zygote `pid`, which forks and executes."""
    rules = Rules(machine)
    rules.without("clone", 0, _calls.NAMESPACES)
    rules.only("fcntl", 1, (*_calls.FCNTLS, *_calls.LOCKS))
    rules.never("prctl", 0, (_prctl.SET_MM, _prctl.SET_PTRACER))
    rules.never("kill", 0, (-1,))
    rules.only("prlimit64", 0, (0, pid))
    rules.only("sched_setaffinity", 0, (0, pid))
    rules.refuse(_calls.names(_calls.BASE))
    return rules.filter.assemble()


def child_filter(machine: str, pid: int, landlock: int) -> bytes:
    """For the process `pid` that runs user code, where Landlock has version `landlock`, 0 for none."""
    rules = Rules(machine)
    rules.only("fcntl", 1, _calls.FCNTLS)
    rules.only("prctl", 0, _calls.PRCTLS)
    for name in ("kill", "tgkill"):
        rules.only(name, 0, (pid,))
    for name in ("prlimit64", "sched_setaffinity"):
        rules.only(name, 0, (0, pid))
    if landlock < 1:
        for name, place in (("open", 1), ("openat", 2)):
            rules.without(name, place, _TRUNCATE | _CREATE | _ACCESS)
        rules.refuse(_calls.names(_calls.CHANGES))
    elif landlock < 3:
        rules.truncating_only_to_write()
    if landlock < 3:
        rules.refuse(["openat2"], errno.ENOSYS)
    rules.refuse(_calls.names(_calls.CHILD))
    rules.refuse(_calls.names(_calls.ATTRIBUTES), errno.ENOTSUP)
    return rules.filter.assemble()


def threadless_filter(machine: str) -> bytes:
    """For a process that starts others, and no thread."""
    rules = Rules(machine)
    rules.without("clone", 0, _calls.THREAD)
    return rules.filter.assemble()


def lone_filter(machine: str) -> bytes:
    """For a thread that starts no other, and no process."""
    rules = Rules(machine)
    rules.refuse(["clone", "fork", "vfork"])
    return rules.filter.assemble()


def install(program: bytes, flags: int = _ALL_THREADS) -> None:
    """Every system call of this process, all its threads, and what it starts passes through it now; raises OSError.

    With 0 for `flags` only those of this thread.
    """

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    instructions = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.byref(Program(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p)))
    _prctl.no_new_privileges()
    thread = _prctl.checked(_set_filter(pointer, flags), "seccomp")
    if thread:
        raise OSError(errno.EAGAIN, f"seccomp: thread {thread} has filters of its own")


def _set_filter(program: Any, flags: int = _ALL_THREADS) -> int:
    """The number of one that cannot follow, 0 for success, -1 for failure."""
    number = NUMBERS["seccomp"][ARCHITECTURES[machine()][1]]
    assert number is not None
    return _prctl.syscall(number, ctypes.c_uint(_SET_MODE_FILTER), ctypes.c_uint(flags), program)


class Rules:
    """A filter written with the names of calls; those that the architecture lacks are passed over."""

    def __init__(self, machine: str) -> None:
        architecture, self._column = ARCHITECTURES[machine]
        self.filter = Filter(architecture, NEWEST + 1, errno.ENOSYS)
        # Its flags are in memory, where a filter cannot look; the C library falls back to `clone`.
        self.refuse(["clone3"], errno.ENOSYS)
        self.only("ioctl", 1, _calls.IOCTLS, errno.ENOTTY)
        self._only_stepping_back()

    def _number(self, name: str) -> Optional[int]:
        return NUMBERS[name][self._column]

    def refuse(self, names: Iterable[str], code: int = errno.EPERM) -> None:
        """These calls fail."""
        for name in names:
            number = self._number(name)
            if number is not None:
                self.filter.refuse(number, code)

    def only(self, name: str, index: int, values: Iterable[int], code: int = errno.EPERM) -> None:
        """The call fails unless the argument has one of these values."""
        number = self._number(name)
        if number is not None:
            self.filter.only(number, index, values, code)

    def never(self, name: str, index: int, values: Iterable[int]) -> None:
        """The call fails if the argument has one of these values."""
        number = self._number(name)
        if number is not None:
            self.filter.never(number, index, values, errno.EPERM)

    def without(self, name: str, index: int, bits: int) -> None:
        """The call fails if the argument has one of these bits."""
        number = self._number(name)
        if number is not None:
            self.filter.without(number, index, bits, errno.EPERM)

    def _only_stepping_back(self) -> None:
        """A process may lower its own precedence to the lowest that is used here, and nothing else."""
        number = self._number("setpriority")
        if number is not None:
            self.filter.when(
                number,
                argument(0),
                (EQUALS, 0, 5, os.PRIO_PROCESS),
                argument(1),
                (EQUALS, 0, 3, _ITSELF),
                argument(2),
                (EQUALS, 0, 1, _calls.PATIENT),
                ALLOWED,
                error(errno.EPERM),
            )

    def truncating_only_to_write(self) -> None:
        """Before Linux 6.2 Landlock sees only what is opened for writing, and truncation needs no such thing."""
        for name, place in (("open", 1), ("openat", 2)):
            number = self._number(name)
            if number is not None:
                self.filter.when(
                    number,
                    argument(place),
                    (ANY_BIT, 0, 4, _TRUNCATE),
                    (MASK, 0, 0, _ACCESS),
                    (EQUALS, 2, 0, _WRITE),
                    (EQUALS, 1, 0, _BOTH),
                    error(errno.EPERM),
                    ALLOWED,
                )
        self.refuse(["truncate"])
