"""The files of the system that every Python process needs."""

from __future__ import annotations

import glob
import os
import struct
from typing import Iterable, List, Optional

OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The package that this file belongs to: what a worker runs and imports."""

SYSTEM = (
    *("/usr", "/lib", "/lib64", "/lib32", "/bin", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"),
    *("/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/os-release", "/etc/mime.types"),
    *(
        "/etc/ssl/openssl.cnf",
        "/etc/ssl/certs",
        "/etc/pki/tls/openssl.cnf",
        "/etc/pki/ca-trust",
        "/etc/crypto-policies",
    ),
    *("/sys/devices/system", "/sys/fs/cgroup", "/dev/urandom", "/dev/random"),
)
"""Programs and libraries, how they are found, and what libraries ask about the machine; nothing personal."""

PROC = (
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/loadavg"),
    *("/proc/uptime", "/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs"),
)
"""About the machine, not about other processes."""

_LIBRARIES = ("/usr/", "/lib/", "/lib64/", "/nix/store/", "/gnu/store/")

_INTERPRETER = 3
"""PT_INTERP: include/uapi/linux/elf.h."""


def loaders(programs: Iterable[str]) -> List[str]:
    """The dynamic loaders that the kernel starts these programs with, and the usual ones for what scripts start.

    A program may name any file as its loader, so only those count that may be read anyway.
    """
    usual = [path for pattern in ("/lib*/ld-linux*.so.*", "/lib/ld-musl-*.so.1") for path in glob.glob(pattern)]
    named = {_loader(program) for program in programs if os.path.isfile(program)}
    return [
        *usual,
        *(path for path in named - {*usual, None} if path and os.path.realpath(path).startswith(_LIBRARIES)),
    ]


def _loader(program: str) -> Optional[str]:
    """As the 64-bit ELF file names it; None for anything else."""
    try:
        with open(program, "rb") as file:
            if file.read(5) != b"\x7fELF\x02":
                return None
            file.seek(32)
            (table,) = struct.unpack("=Q", file.read(8))
            file.seek(54)
            size, count = struct.unpack("=HH", file.read(4))
            for entry in range(count):
                file.seek(table + entry * size)
                kind, _, offset, _, _, length = struct.unpack("=IIQQQQ", file.read(40))
                if kind == _INTERPRETER:
                    file.seek(offset)
                    return os.fsdecode(file.read(min(length, 4096)).rstrip(b"\0"))
    except (OSError, ValueError, struct.error):  # ValueError: an offset that no file has
        return None
    return None
