"""Landlock: a process names what it may reach in the file system, and everything else is out of its reach.

Sources: include/uapi/linux/landlock.h, Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _prctl

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls, alike on all architectures."""
_OPENAT2 = 437
"""Older than Landlock, but unknown to the C library.  Source of the flags: include/uapi/linux/openat2.h."""
_HERE, _NO_SYMLINKS = -100, 4
_NAMES_ONLY = getattr(os, "O_PATH", 0) | getattr(os, "O_CLOEXEC", 0)
_VERSION = 1
_PATH_BENEATH = 1
_LOG_SAME_EXEC_OFF, _LOG_SUBDOMAINS_OFF = 1, 4

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
_FIRST_VERSION = (1 << 13) - 1
_REFER, TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | _IOCTL_DEV
_TCP = 3
_SCOPES = 3
"""Abstract sockets and signals stay within the domain."""

READ = READ_FILE | READ_DIR


def version() -> int:
    """The ABI of the running kernel; 0 where there is no Landlock."""
    if not _prctl.HERE:
        return 0
    return max(0, _prctl.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)))


def available() -> str:
    """Why there is no Landlock here; empty if there is."""
    if not _prctl.HERE:
        return "only Linux has Landlock"
    if version():
        return ""
    if ctypes.get_errno() == errno.EOPNOTSUPP:
        return "Landlock is built into this kernel, but was not enabled at boot (`lsm=landlock,…`)"
    return "this kernel has no Landlock, which came with Linux 5.13"


def lacking(abi: int) -> str:
    """What the version does not guard yet, for a report."""
    steps = ((3, "truncation"), (4, "TCP"), (5, "devices"), (6, "signals"))
    missing = [what for needed, what in steps if abi < needed]
    return f"ABI {abi}" + (f", which does not guard {', '.join(missing)}" if missing else "")


def _open(path: str, links: bool) -> int:
    """A descriptor that only names the place."""
    if links:
        return os.open(path, _NAMES_ONLY)
    how = struct.pack("=QQQ", _NAMES_ONLY, 0, _NO_SYMLINKS)
    name = ctypes.c_char_p(os.fsencode(path))
    result = _prctl.syscall(_OPENAT2, ctypes.c_int(_HERE), name, how, ctypes.c_size_t(len(how)))
    return _prctl.checked(result, path)


class Ruleset:
    """What will be allowed; everything else that this version of Landlock knows of is denied."""

    def __init__(self, abi: int) -> None:
        self._abi = abi
        self._handled = _FIRST_VERSION
        for since, right in ((2, _REFER), (3, TRUNCATE), (5, _IOCTL_DEV)):
            if abi >= since:
                self._handled |= right
        words = [self._handled, *([_TCP] if abi >= 4 else []), *([_SCOPES] if abi >= 6 else [])]
        attributes = struct.pack(f"={len(words)}Q", *words)
        result = _prctl.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
        self._fd = _prctl.checked(result, "landlock_create_ruleset")

    def allow(self, path: str, rights: int, *, links: bool = False) -> None:
        """For the file, or the folder and all below it; what does not exist or is out of reach stays denied.

        Unless `links` are followed, what is one now, or lies behind one, is not what somebody meant to open.
        """
        try:
            place = _open(path, links)
        except (OSError, ValueError):  # ValueError: a null byte
            return
        try:
            rights &= self._handled
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                rights &= _OF_FILES
            if rights:
                attributes = struct.pack("=Qi", rights, place)
                kind, flags = ctypes.c_int(_PATH_BENEATH), ctypes.c_uint32(0)
                _prctl.checked(_prctl.syscall(_ADD, ctypes.c_int(self._fd), kind, attributes, flags), path)
        finally:
            os.close(place)

    def allow_policy(self, policy: Policy) -> None:
        """What the policy says that may be read, and the one file that anybody may write into."""
        for path in (*policy.read, policy.home):
            self.allow(path, READ)
        for path in policy.names:
            self.allow(path, READ_DIR)
        self.allow("/dev/null", READ_FILE | WRITE_FILE | TRUNCATE)

    def restrict(self) -> None:
        """Hold this process, and what it starts, to the rules; raises OSError."""
        _prctl.no_new_privileges()
        # What hostile code tries must not flood the audit log.
        flags = _LOG_SAME_EXEC_OFF | _LOG_SUBDOMAINS_OFF if self._abi >= 7 else 0
        result = _prctl.syscall(_RESTRICT, ctypes.c_int(self._fd), ctypes.c_uint32(flags))
        _prctl.checked(result, "landlock_restrict_self")
        os.close(self._fd)
