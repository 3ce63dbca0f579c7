"""The filters in the kernel: what they refuse fails in a real process, and succeeds without them."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker import sandbox
from fx_lsp.worker.sandbox import _calls, _landlock, _seccomp, seccomp_base, seccomp_child
from fx_lsp.worker.sandbox._layer import Layer
from tests.worker.sandbox.acts import (
    append,
    make_folder,
    print_to_nowhere,
    remove,
    rename,
    signal_parent,
    state,
    truncate,
    truncate_by_reading,
)
from tests.worker.sandbox.confined import call, needs_linux, outcome
from tests.worker.sandbox.kernel import COLUMNS

pytestmark = needs_linux

BASE, CHILD = seccomp_base.LAYER, seccomp_child.LAYER
NUMBERS = COLUMNS.get(platform.machine(), {})


def every(names: list[str]) -> dict[str, int]:
    """What each call fails with, all arguments being -1; none that would succeed is among them."""
    errors = {}
    for name in names:
        if name in NUMBERS:
            try:
                call(NUMBERS[name], -1, -1, -1, -1, -1, -1)
                errors[name] = 0
            except OSError as error:
                errors[name] = error.errno or 0
    return errors


@pytest.mark.parametrize(
    ("layer", "groups"), [(BASE, _calls.BASE), (CHILD, _calls.CHILD)], ids=["seccomp-base", "seccomp-child"]
)
def test_every_call_of_the_groups_is_refused(layer: Layer, groups: dict[str, str]) -> None:
    failed = outcome(lambda: every(_calls.names(groups)), layer)
    assert set(failed.values()) == {1}  # EPERM
    assert failed.keys() == {*_calls.names(groups)} & NUMBERS.keys()


@pytest.mark.parametrize("layer", [BASE, CHILD], ids=["seccomp-base", "seccomp-child"])
def test_what_is_newer_does_not_exist(layer: Layer) -> None:
    assert outcome(lambda: call(470), layer) == "ENOSYS"
    assert outcome(lambda: call(1 << 30 | 39), layer) == "ENOSYS"


def socket_() -> str:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    return "done"


def unix_socket() -> str:
    socket.socketpair()
    return "done"


def change_mode(path: Path) -> str:
    path.chmod(0o600)
    return "done"


def touch(path: Path) -> str:
    os.utime(path, (1, 1))
    return "done"


def attribute(path: Path) -> str:
    os.setxattr(path, "user.fx", b"1")
    return "done"


def hidden_file() -> str:
    os.memfd_create("fx")
    return "done"


def lease(path: Path) -> str:
    with path.open() as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    return "done"


def owner_of_input(path: Path) -> str:
    with path.open() as file:
        fcntl.fcntl(file, fcntl.F_SETOWN, os.getppid())
    return "done"


def flags_of_file(path: Path) -> str:
    with path.open() as file:
        fcntl.ioctl(file, 0x80086601, bytearray(8))  # FS_IOC_GETFLAGS
    return "done"


def name_space() -> str:
    return str(call(NUMBERS["unshare"], 0x10000000)) and "done"  # CLONE_NEWUSER


def limit_of_parent() -> str:
    import resource

    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
    return "done"


def look_into_parent() -> str:
    buffer = ctypes.create_string_buffer(8)
    word = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)
    call(NUMBERS["process_vm_readv"], os.getpid(), ctypes.addressof(word), 1, ctypes.addressof(word), 1, 0)
    return "done"


ON_NOTHING: list[Callable[[], str]] = [socket_, unix_socket, hidden_file, name_space, limit_of_parent, look_into_parent]
ON_A_FILE: list[Callable[[Path], str]] = [change_mode, touch, attribute, lease, owner_of_input, flags_of_file]


@pytest.mark.parametrize("act", ON_NOTHING)
@pytest.mark.parametrize("layer", [BASE, CHILD], ids=["seccomp-base", "seccomp-child"])
def test_an_act_is_refused(act: Callable[[], str], layer: Layer) -> None:
    assert outcome(act, layer) == "EPERM"
    if (without := outcome(act)) != "done":
        pytest.skip(f"not possible here without the layer either: {without}")


@pytest.mark.parametrize("act", ON_A_FILE)
@pytest.mark.parametrize("layer", [BASE, CHILD], ids=["seccomp-base", "seccomp-child"])
def test_an_act_on_a_file_is_refused(act: Callable[[Path], str], layer: Layer, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    before = file.stat()
    assert outcome(lambda: act(file), layer) == ("ENOTTY" if act is flags_of_file else "EPERM")
    assert file.stat() == before
    if (without := outcome(lambda: act(file))) != "done":
        pytest.skip(f"not possible here without the layer either: {without}")


def fork() -> str:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "done"


def thread() -> str:
    started = threading.Thread(target=str)
    started.start()
    started.join()
    return "done"


def execute() -> str:
    subprocess.run(["/bin/true"], check=True)
    return "done"


def become() -> str:
    os.execv("/bin/sh", ["sh", "-c", "echo '\"done\"'"])


def signal_group() -> str:
    os.kill(0, 0)
    return "done"


def signal_by_descriptor() -> str:
    signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 0)
    return "done"


def lock() -> str:
    with open(__file__) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    return "done"


def lock_region() -> str:
    with open(__file__) as file:
        fcntl.lockf(file, fcntl.LOCK_SH)
    return "done"


def watch() -> str:
    return str(call(NUMBERS["inotify_init1"], 0)) and "done"


def untie() -> str:
    from fx_lsp.worker.sandbox import _prctl

    _prctl.prctl(_prctl.SET_PDEATHSIG, 0)
    return "done"


@pytest.mark.parametrize(
    "act", [fork, execute, become, signal_parent, signal_group, signal_by_descriptor, lock, lock_region, watch, untie]
)
def test_only_a_zygote_may(act: Callable[[], str]) -> None:
    assert outcome(act) == "done"
    assert outcome(act, BASE) == "done"
    assert outcome(act, CHILD) == "EPERM"
    assert outcome(act, BASE, CHILD) == "EPERM"


def test_a_child_has_one_thread() -> None:
    assert outcome(thread) == outcome(thread, BASE) == "done"
    assert outcome(thread, CHILD) == "RuntimeError: can't start new thread"


@pytest.mark.parametrize("layer", [BASE, CHILD], ids=["seccomp-base", "seccomp-child"])
def test_threads_that_are_there_already_are_held_too(layer: Layer) -> None:
    def by_another() -> list[str]:
        told, said = threading.Event(), []

        def act() -> None:
            told.wait()
            try:
                said.append(socket_())
            except OSError as error:
                said.append(type(error).__name__)

        other = threading.Thread(target=act)
        other.start()
        layer.apply(Policy())
        told.set()
        other.join()
        return said

    assert outcome(by_another) == ["PermissionError"]


def test_with_threads_a_child_writes_no_file_although_landlock_could_not_hold_them(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")

    def by_another() -> list[str]:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        reports = sandbox.apply("child", Policy())
        missing = [report.name for report in reports if report.status == "missing"]
        try:
            (tmp_path / "file").write_text("changed")
        except PermissionError as error:
            return [*missing, str(error.errno)]
        return missing

    assert outcome(by_another) == ["landlock-child", "1"]


def test_a_timer_of_a_child_is_never_due() -> None:
    def timed() -> bool:
        timer = threading.Timer(0, os.abort)
        timer.start()
        timer.cancel()
        return timer.is_alive()

    assert outcome(timed, CHILD) is False


def test_a_child_ends_itself() -> None:
    assert outcome(os.abort, CHILD) == "SIGABRT"
    assert outcome(lambda: os.kill(os.getpid(), signal.SIGTERM), CHILD) == "SIGTERM"


def test_extended_attributes_do_not_exist_for_a_child(tmp_path: Path) -> None:
    assert outcome(lambda: os.listxattr(tmp_path), CHILD) == "ENOTSUP"
    assert isinstance(outcome(lambda: os.listxattr(tmp_path), BASE), list)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="int 0x80 is of x86")
@pytest.mark.parametrize("layer", [BASE, CHILD], ids=["seccomp-base", "seccomp-child"])
def test_the_old_way_into_the_kernel_ends_the_process(layer: Layer) -> None:
    """By `int 0x80` the numbers are those of i386, where 20 is `getpid`."""

    def old() -> Any:
        code = mmap.mmap(
            -1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        )
        code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
        return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))() > 0

    if outcome(old) is not True:
        pytest.skip("this kernel has no i386 calls")
    assert outcome(old, layer) == "SIGSYS"


WITHOUT_LANDLOCK = Policy(off=("landlock-child",))


def link(path: Path) -> Any:
    (path / "link").symlink_to(path)


def write(path: Path) -> Any:
    (path / "file").write_text("changed")


def write_in_place(path: Path) -> Any:
    with (path / "file").open("r+") as file:
        mmap.mmap(file.fileno(), 4)[:] = b"evil"


CHANGES: list[Callable[[Path], Any]] = [
    *(make_folder, remove, rename, link, write, append, write_in_place, truncate, truncate_by_reading)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("text")
    return tmp_path


@pytest.mark.parametrize("act", CHANGES)
def test_without_landlock_a_child_changes_no_file(act: Callable[[Path], Any], folder: Path) -> None:
    assert outcome(lambda: act(folder), CHILD, policy=WITHOUT_LANDLOCK) == "EPERM"
    assert state(folder) == {"file": "text"}
    assert outcome(lambda: act(folder)) is None
    assert state(folder) != {"file": "text"}


@pytest.mark.parametrize("act", [truncate, truncate_by_reading])
def test_an_old_landlock_needs_help_with_truncation(
    act: Callable[[Path], Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_landlock, "version", lambda: 1)
    assert outcome(lambda: act(folder), CHILD) == "EPERM"
    assert state(folder) == {"file": "text"}


def test_the_null_device_can_be_written_to_where_there_is_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    for version in (1, 3, 7):
        monkeypatch.setattr(_landlock, "version", lambda version=version: version)
        assert outcome(print_to_nowhere, CHILD) == "done"
    assert outcome(print_to_nowhere, CHILD, policy=WITHOUT_LANDLOCK) == "EPERM"
    assert "/dev/null" in CHILD.report(WITHOUT_LANDLOCK).why


def test_where_there_is_no_filter_for_the_machine_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_seccomp, "machine", lambda: "riscv64")
    report = BASE.report(Policy())
    assert (report.status, report.why) == ("missing", "there is no filter for riscv64 with 64 bits")
