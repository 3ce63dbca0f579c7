"""Session, privileges and open files: what ties a process to others, and what it inherits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import capabilities, descriptors, session
from fx_lsp.worker.sandbox._layer import Layer
from tests.worker.sandbox.confined import RESULT, needs_linux, needs_root, outcome

pytestmark = needs_linux


def leads_session() -> bool:
    return os.getsid(0) == os.getpid() == os.getpgid(0)


@pytest.mark.parametrize("layer", [session.LAUNCHER, session.CHILD], ids=["launcher", "child"])
def test_a_process_has_its_own_session(layer: Layer) -> None:
    assert outcome(leads_session, layer) is True
    assert outcome(leads_session, layer, layer) is True
    assert outcome(leads_session) is False


def parent_dies(layer: Layer | None) -> None:
    """A process that has applied the layer loses its parent; it says so when it lives on."""
    ready, is_ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        if os.fork() == 0:
            if layer:
                layer.apply(Policy())
            os.write(RESULT, b'"ready"\n')
            os.write(is_ready, b"!")
            time.sleep(1)
            os.write(RESULT, b'"alive"\n')
            os._exit(0)
        signal.pause()
    os.read(ready, 1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os._exit(0)


@pytest.mark.parametrize("layer", [session.LAUNCHER, session.CHILD], ids=["launcher", "child"])
def test_a_process_ends_with_its_parent(layer: Layer) -> None:
    assert outcome(lambda: parent_dies(layer)) == "ready"
    with pytest.raises(ValueError, match="Extra data"):  # it said more
        outcome(lambda: parent_dies(None))


def dumpable() -> int:
    from fx_lsp.worker.sandbox import _prctl

    return _prctl.prctl(3)  # PR_GET_DUMPABLE


def test_no_other_process_looks_into_a_worker() -> None:
    assert outcome(dumpable, session.ZYGOTE) == outcome(dumpable, session.CHILD) == 0
    assert outcome(dumpable) == 1


def test_the_worker_is_the_first_to_go_when_memory_runs_out() -> None:
    assert outcome(Path("/proc/self/oom_score_adj").read_text, session.LAUNCHER) == "1000\n"


def effective() -> list[str]:
    """Of a program that this process executes."""
    text = subprocess.check_output(["/bin/cat", "/proc/self/status"], text=True)
    lines = dict(line.split(":\t", 1) for line in text.splitlines())
    return [lines[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs")]


def test_what_is_executed_has_no_privilege() -> None:
    none = "0" * 16
    assert outcome(effective, capabilities.LAYER) == [none] * 4 + ["1"]


@needs_root
def test_root_without_capabilities_is_like_anybody(tmp_path: Path) -> None:
    def others_file() -> str:
        return (tmp_path / "file").read_text()

    (tmp_path / "file").write_text("text")
    os.chown(tmp_path / "file", 12345, 12345)
    (tmp_path / "file").chmod(0o600)
    assert outcome(others_file, capabilities.LAYER) == "EACCES"
    assert outcome(others_file) == "text"


def still_open() -> list[int]:
    """Above the standard three; the last is the listing itself."""
    return [fd for fd in sorted(map(int, os.listdir("/dev/fd"))) if fd > 2 and os.path.exists(f"/dev/fd/{fd}")]


@pytest.mark.parametrize("high", [5, 100, 1000])
def test_a_child_inherits_only_its_pipes(high: int) -> None:
    def left() -> list[int]:
        for fd in (3, 4, high):
            os.dup2(0, fd)
        descriptors.CHILD.apply(Policy())
        return still_open()

    assert outcome(left) == [3, 4]


def test_a_worker_inherits_only_the_standard_streams() -> None:
    script = (
        "import os; from fx_lsp.worker.sandbox import descriptors; from fx_lsp.model.sandbox import Policy;"
        "os.dup2(1, 7); descriptors.LAUNCHER.apply(Policy());"
        "print([fd for fd in range(100) if os.path.exists(f'/dev/fd/{fd}')])"
    )
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "[0, 1, 2]"
