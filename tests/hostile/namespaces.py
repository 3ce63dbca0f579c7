"""A world of its own for what must not reach this machine: processes, network, mounts, IPC; its folders are private.

The namespaces are the safety net of the tests, never what is tested: `kill -1`, packets, full disks and leftovers stay
inside, and so does what a hostile module does as root.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

UNSHARE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--mount", "--ipc")

REPOSITORY = Path(__file__).parents[2]

BASE = Path("/mnt")
"""Where the folders of the world are; hidden from the machine by a file system in memory."""

COVERED = ("/tmp", "/var/tmp", "/dev/shm", "/root", "/home")
"""Folders that the world has anew and empty, but for what is needed to run."""

DEVICES = {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}
"""Minor numbers of the harmless devices."""


def missing() -> str:
    """Why there can be no such world here; empty when there can."""
    if sys.platform != "linux":
        return "namespaces are a feature of Linux"
    if os.geteuid() != 0:
        return "namespaces for processes, mounts and network need root"
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        return "there is no `unshare` or no `mount`"
    done = subprocess.run([*UNSHARE, "mount", "--make-rprivate", "/"], capture_output=True, text=True)
    return f"namespaces are not permitted: {done.stderr.strip()}" if done.returncode else ""


def settle_in() -> None:
    """Make this process' world: called once by its first process, before anything else runs in it."""
    mount("--make-rprivate", "/")
    mount("-t", "tmpfs", "-o", "mode=755", "hostile", BASE)
    paths = {Path(path) for path in (sys.prefix, sys.base_prefix, REPOSITORY)}
    needed = [path for path in sorted(paths) if not paths & set(path.parents)]  # what holds them brings them along
    tops = {Path(top) for top in COVERED if Path(top).is_dir()} | {top for path in needed if (top := closed(path))}
    for top in sorted(tops):
        cover(top, [path for path in needed if path.is_relative_to(top)])
    private_devices()
    for target in ("/sys", "/proc/sys", "/"):
        if target == "/proc/sys":
            mount("--bind", target, target)
        mount("-o", "remount,bind,ro", target)
    loopback_up()


def closed(path: Path) -> Path | None:
    """The topmost folder above `path` that only its owner may enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def cover(top: Path, kept: Iterable[Path]) -> None:
    """Put an empty folder over `top`, and what is kept of it back in its place."""
    mode = stat.S_IMODE(top.stat().st_mode) | 0o555
    stashed: list[tuple[Path, Path]] = []
    for number, path in enumerate(kept):
        stash = BASE / f"stash-{number}"
        stash.mkdir()
        mount("--rbind", path, stash)
        stashed.append((stash, path))
    mount("-t", "tmpfs", "-o", f"mode={mode:o}", "hostile", top)
    for stash, path in stashed:
        path.mkdir(parents=True)
        mount("--rbind", stash, path)
        mount("-o", "remount,bind,ro", path)
        subprocess.run(["umount", "-l", stash], check=True)
        stash.rmdir()


def private_devices() -> None:
    """A `/dev` without the disks of the machine."""
    terminals = BASE / "pts"
    terminals.mkdir()
    mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "hostile", terminals)
    shared = BASE / "shm"
    shared.mkdir()
    mount("--move", "/dev/shm", shared) if os.path.ismount("/dev/shm") else None
    mount("-t", "tmpfs", "-o", "mode=755", "hostile", "/dev")
    for name, minor in DEVICES.items():
        os.mknod(f"/dev/{name}", stat.S_IFCHR | 0o666, os.makedev(1, minor))
        os.chmod(f"/dev/{name}", 0o666)
    os.mknod("/dev/tty", stat.S_IFCHR | 0o666, os.makedev(5, 0))
    for name, target in {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        os.symlink(target, f"/dev/{name}")
    os.symlink("pts/ptmx", "/dev/ptmx")
    for name, source in {"pts": terminals, "shm": shared}.items():
        os.mkdir(f"/dev/{name}")
        if os.path.ismount(source):
            mount("--move", source, f"/dev/{name}")
        source.rmdir()


def loopback_up() -> None:
    """The one network device of the world: packets can be sent, and reach nobody but our listeners."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        set_flags, up_and_running = 0x8914, 0x49
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", up_and_running))


def mount(*arguments: str | Path) -> None:
    """Run `mount`; raises `CalledProcessError` when it fails."""
    subprocess.run(["mount", *map(str, arguments)], check=True)
