"""Landlock: what a policy does not name cannot be read, and nothing can be written; with every version of it."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _landlock, _paths, capabilities, landlock_base, landlock_child
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
from tests.worker.sandbox.confined import needs_linux, outcome

pytestmark = needs_linux

BASE, CHILD = landlock_base.LAYER, landlock_child.LAYER
BOTH = pytest.mark.parametrize("layer", [BASE, CHILD], ids=["landlock-base", "landlock-child"])


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder to be read, one of which only the names may be known, one that is secret."""
    tmp_path = tmp_path.resolve()
    for name in ("read", "names", "secret", "home"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("text")
    return tmp_path


@pytest.fixture
def policy(places: Path) -> Policy:
    read, names, home = (str(places / name) for name in ("read", "names", "home"))
    return Policy(
        read=(read, str(places / "missing")), names=(names,), home=home, execute=(os.path.realpath("/bin/true"),)
    )


@pytest.fixture(params=range(1, 8))
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """As if the kernel knew no more than that version."""
    if _landlock.version() < request.param:
        pytest.skip(f"this kernel has only version {_landlock.version()}")
    monkeypatch.setattr(_landlock, "version", lambda: request.param)
    return int(request.param)


@BOTH
def test_only_what_is_named_can_be_read(layer: Layer, version: int, places: Path, policy: Policy) -> None:
    def seen() -> list[str]:
        found = []
        for name in ("read", "names", "secret", "home"):
            for look in (lambda path: os.listdir(path), lambda path: (path / "file").read_text()):
                try:
                    look(places / name)
                    found.append("yes")
                except PermissionError:
                    found.append("no")
        return found

    assert outcome(seen, layer, policy=policy) == ["yes", "yes", "yes", "no", "no", "no", "yes", "yes"]
    assert outcome(seen) == ["yes"] * 8


def write_new(path: Path) -> Any:
    (path / "new").write_text("new")


def write_old(path: Path) -> Any:
    (path / "file").write_text("changed")


def rename_elsewhere(path: Path) -> Any:
    (path / "file").rename(path.parent / "other")


def link(path: Path) -> Any:
    os.link(path / "file", path / "other")


def soft_link(path: Path) -> Any:
    (path / "other").symlink_to("file")


def make_fifo(path: Path) -> Any:
    os.mkfifo(path / "new")


def make_socket(path: Path) -> Any:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path)
        server.bind("socket")


CHANGES: list[Callable[[Path], Any]] = [
    *(write_new, write_old, append, remove, rename, rename_elsewhere, link, soft_link, make_folder, make_fifo),
    make_socket,
]


@BOTH
@pytest.mark.parametrize("place", ["read", "names", "secret", "home"])
@pytest.mark.parametrize("act", CHANGES)
def test_nothing_can_be_changed(
    act: Callable[[Path], Any], place: str, layer: Layer, places: Path, policy: Policy
) -> None:
    assert outcome(lambda: act(places / place), layer, policy=policy) in ("EACCES", "EXDEV")
    assert state(places / place) == {"file": "text"}
    assert outcome(lambda: act(places / place)) is None


@BOTH
@pytest.mark.parametrize("act", CHANGES)
def test_nothing_can_be_changed_with_any_version(
    act: Callable[[Path], Any], layer: Layer, version: int, places: Path, policy: Policy
) -> None:
    assert outcome(lambda: act(places / "read"), layer, policy=policy) in ("EACCES", "EXDEV")
    assert state(places / "read") == {"file": "text"}


def truncate_by_neither(path: Path) -> Any:
    os.close(os.open(path / "file", 3 | os.O_TRUNC))


@BOTH
@pytest.mark.parametrize("act", [truncate, truncate_by_reading, truncate_by_neither])
def test_truncation_is_seen_since_version_3(
    act: Callable[[Path], Any], layer: Layer, version: int, places: Path, policy: Policy
) -> None:
    """Before that, the filter of system calls has to see it: `test_seccomp`."""
    held = "EACCES" if version >= 3 else None
    assert outcome(lambda: act(places / "read"), layer, policy=policy) == held
    assert ("truncation" in layer.report(policy).why) == (version < 3)


@BOTH
def test_what_exists_is_still_said_to_exist(layer: Layer, places: Path, policy: Policy) -> None:
    """Code that makes a folder unless it is there must not break."""
    assert outcome(lambda: os.mkdir(places / "read"), layer, policy=policy) == "EEXIST"
    assert outcome(lambda: os.remove(places / "read" / "none"), layer, policy=policy) == "ENOENT"


@BOTH
def test_the_null_device_can_be_written_to(layer: Layer, version: int) -> None:
    assert outcome(print_to_nowhere, layer) == "done"


def start(program: str) -> str:
    subprocess.run([program], check=True, stdout=subprocess.DEVNULL)
    return "done"


def test_a_zygote_starts_only_what_is_named(version: int, policy: Policy) -> None:
    assert outcome(lambda: start("/bin/true"), BASE, policy=policy) == "done"
    assert outcome(lambda: start("/bin/ls"), BASE, policy=policy) == "EACCES"
    assert outcome(lambda: start("/bin/ls")) == "done"


def test_a_child_starts_nothing(policy: Policy) -> None:
    assert outcome(lambda: start("/bin/true"), CHILD, policy=policy) == "EACCES"


def bind_tcp() -> str:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
    return "done"


def connect_tcp() -> str:
    with socket.socket() as server, socket.socket() as client:
        server.listen()
        client.connect(server.getsockname())
    return "done"


@BOTH
@pytest.mark.parametrize("act", [bind_tcp, connect_tcp])
def test_tcp_is_closed_since_version_4(act: Callable[[], str], layer: Layer, version: int) -> None:
    assert outcome(act, layer) == ("EACCES" if version >= 4 else "done")
    assert ("TCP" in layer.report(Policy()).why) == (version < 4)


@BOTH
def test_signals_stay_inside_since_version_6(layer: Layer, version: int) -> None:
    assert outcome(signal_parent, layer) == ("EPERM" if version >= 6 else "done")
    assert ("signals" in layer.report(Policy()).why) == (version < 6)


def test_a_zygote_ends_its_children(version: int) -> None:
    def end_child() -> str:
        pid = os.fork()
        if pid == 0:
            CHILD.apply(Policy())
            signal.pause()
        os.kill(pid, signal.SIGKILL)
        return signal.Signals(os.WTERMSIG(os.waitpid(pid, 0)[1])).name

    assert outcome(end_child, BASE) == "SIGKILL"


def environment_of_parent() -> str:
    with open(f"/proc/{os.getppid()}/environ", "rb") as file:
        file.read()
    return "done"


def command_of_parent() -> str:
    with open(f"/proc/{os.getppid()}/cmdline", "rb") as file:
        file.read()
    return "done"


def own_state() -> str:
    for name in ("status", "maps", "statm"):
        with open(f"/proc/self/{name}", "rb") as file:
            file.read()
    return str(os.listdir("/proc/self/task")) and "done"


def test_a_child_sees_no_other_process(version: int) -> None:
    assert outcome(command_of_parent, CHILD) == "EACCES"
    assert outcome(own_state, CHILD) == "done"
    assert outcome(command_of_parent) == "done"


def test_a_zygote_sees_no_secrets_of_other_processes(version: int) -> None:
    """It keeps all of /proc, for the sake of its children; what is not for everybody's eyes stays closed.

    Since Linux 6.15 the capability to measure performance opens it, so root has to lose that first.
    """
    assert outcome(environment_of_parent, capabilities.LAYER, BASE) == "EACCES"
    assert outcome(environment_of_parent) == "done"


def test_memory_of_others_is_out_of_reach(version: int) -> None:
    def write() -> str:
        with open(f"/proc/{os.getppid()}/mem", "r+b"):
            return "done"

    assert outcome(write, BASE) == outcome(write, CHILD) == "EACCES"


@BOTH
def test_links_lead_to_nothing_more(layer: Layer, places: Path, policy: Policy) -> None:
    (places / "read" / "link").symlink_to(places / "secret")
    for path in (places / "read" / "link" / "file", Path(f"/proc/self/root{places}/secret/file")):
        assert outcome(path.read_text, layer, policy=policy) == "EACCES"
        assert outcome(path.read_text) == "text"


@BOTH
def test_a_policy_opens_nothing_through_a_link(layer: Layer, version: int, places: Path) -> None:
    """The project may have changed since the policy was made."""
    (places / "late").symlink_to(places / "secret")
    (places / "deep").symlink_to(places)
    for late in (places / "late", places / "deep" / "secret"):
        policy = Policy(read=(str(late),), names=(str(late),), execute=(str(late),), home=str(late))
        assert outcome((places / "secret" / "file").read_text, layer, policy=policy) == "EACCES"
        assert outcome(lambda late=late: os.listdir(late), layer, policy=policy) == "EACCES"


@BOTH
def test_a_descriptor_without_rights_gives_none(layer: Layer, places: Path, policy: Policy) -> None:
    def reopen() -> str:
        place = os.open(places / "secret" / "file", os.O_PATH)
        with open(f"/proc/self/fd/{place}", encoding="utf-8") as file:
            return file.read()

    assert outcome(reopen, layer, policy=policy) == "EACCES"
    assert outcome(reopen) == "text"


def test_strange_paths_in_a_policy_are_passed_over() -> None:
    odd = Policy(read=("", "\0", "/nowhere/at/all", "/dev/null"), names=("/etc/passwd",))
    assert outcome(lambda: "done", BASE, policy=odd) == "done"


def test_layers_can_be_nested_as_the_processes_are(policy: Policy, places: Path) -> None:
    assert outcome((places / "read" / "file").read_text, BASE, CHILD, policy=policy) == "text"


def test_a_child_may_not_more_than_its_zygote(places: Path) -> None:
    def widened() -> str:
        CHILD.apply(Policy(read=(str(places),)))
        return (places / "secret" / "file").read_text()

    assert outcome(widened, BASE) == "EACCES"


@pytest.mark.parametrize(
    ("code", "said"), [(95, "not enabled at boot"), (38, "Linux 5.13")], ids=["EOPNOTSUPP", "ENOSYS"]
)
def test_why_there_is_no_landlock(monkeypatch: pytest.MonkeyPatch, code: int, said: str) -> None:
    monkeypatch.setattr(_landlock, "version", lambda: 0)
    monkeypatch.setattr(_landlock.ctypes, "get_errno", lambda: code)
    report = BASE.report(Policy())
    assert report.status == "missing"
    assert said in report.why


def test_what_a_version_lacks_is_said() -> None:
    assert _landlock.lacking(7) == "ABI 7"
    assert _landlock.lacking(1) == "ABI 1, which does not guard truncation, TCP, devices, signals"


def test_the_loader_of_a_program_is_found() -> None:
    named = _paths.loaders([os.path.realpath(sys.executable)])
    assert any(os.path.basename(path).startswith("ld-") for path in named)


def program_with_loader(loader: bytes) -> bytes:
    """As much of an ELF file as it takes to name a loader."""
    header = b"\x7fELF\x02".ljust(32, b"\0") + struct.pack("=Q", 64) + bytes(14) + struct.pack("=HH", 56, 1) + bytes(6)
    entry = struct.pack("=IIQQQQQQ", 3, 4, 120, 0, 0, len(loader) + 1, len(loader) + 1, 1)
    return header + entry + loader + b"\0"


def test_a_program_opens_no_file_by_calling_it_its_loader(tmp_path: Path) -> None:
    program, secret = tmp_path / "program", tmp_path / "secret"
    secret.write_text("text")
    program.write_bytes(program_with_loader(os.fsencode(secret)))
    assert _paths.loaders([str(program)]) == _paths.loaders([])
    program.write_bytes(program_with_loader(b"/usr/lib/ld-other.so.2"))
    assert "/usr/lib/ld-other.so.2" in _paths.loaders([str(program)])
    policy = Policy(execute=(str(program),))
    program.write_bytes(program_with_loader(os.fsencode(secret)))
    assert outcome(secret.read_text, BASE, policy=policy) == "EACCES"


ELF = b"\x7fELF\x02"


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", ELF, ELF + b"\xff" * 60, b"\x7fELF\x01"])
def test_what_is_no_program_has_no_loader(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "program").write_bytes(content)
    assert _paths.loaders([str(tmp_path / "program"), "/nowhere"]) == _paths.loaders([])
