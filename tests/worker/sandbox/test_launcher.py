"""The launcher: our Python restricts itself, and becomes the user's."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.model import wire
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.worker.sandbox import bubblewrap
from tests.policies import policy as policy_for
from tests.worker.sandbox.confined import needs_linux

LAUNCHER = Path(__file__).parents[3] / "fx_lsp" / "worker" / "launcher.py"
OURS = [sys.executable, "-I", "-S", str(LAUNCHER)]
SECONDS = 60

pytestmark = needs_linux


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return policy_for(tmp_path.resolve())


def launch(
    policy: Policy, folder: Path, source: str, *, environment: dict[str, str] | None = None, arguments: Any = ()
) -> subprocess.CompletedProcess[str]:
    """Run a script of the user's in the worker's place."""
    script = folder / "script.py"
    script.write_text(source)
    command = [*OURS, wire.encode(policy).decode(), "--", sys.executable, str(script), *arguments]
    given = {**os.environ, **(environment or {})}
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)


def result(*arguments: Any, **named: Any) -> Any:
    """What the script printed as JSON."""
    done = launch(*arguments, **named)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_interpreter_is_told_what_holds(policy: Policy, tmp_path: Path) -> None:
    arguments = result(policy, tmp_path, "import json, sys; print(json.dumps(sys.argv[1:]))", arguments=["--spawn"])
    assert arguments[::2] == ["--spawn", *arguments[2::2]]
    assert arguments[1] == "--policy"
    assert wire.decode(arguments[2].encode()) == policy
    assert arguments[3] == "--applied"
    reports = [wire.decode(json.dumps(report).encode()) for report in json.loads(arguments[4])]
    assert [report.name for report in reports] == [
        *("environment", "descriptors", "session", "capabilities", "limits", "landlock-base", "seccomp-base")
    ]
    assert {report.status for report in reports} == {"active"}


ATTEMPTS = """
import json, os, socket, subprocess, sys
def attempt(act):
    try:
        act()
        return "done"
    except OSError as error:
        return type(error).__name__
print(json.dumps([
    attempt(lambda: open(sys.argv[1]).read()),
    attempt(lambda: open(sys.argv[1] + ".new", "w")),
    attempt(lambda: open(os.path.join(os.environ["HOME"], "new"), "w")),
    attempt(lambda: socket.socket()),
    attempt(lambda: subprocess.run(["/bin/ls"], stdout=2)),
    attempt(lambda: os.kill(os.getppid(), 0)),
    os.environ.get("FX_TEST_TOKEN"),
    os.getsid(0) == os.getpid(),
]))
"""


def test_what_the_interpreter_runs_by_itself_is_confined(policy: Policy, tmp_path_factory: Any, tmp_path: Path) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("text")
    attempts = result(policy, tmp_path, ATTEMPTS, environment={"FX_TEST_TOKEN": "secret"}, arguments=[str(secret)])
    assert attempts == ["PermissionError"] * 6 + [None, True]


def test_without_layers_the_same_would_be_done(policy: Policy, tmp_path_factory: Any, tmp_path: Path) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("text")
    off = dataclasses.replace(
        policy, off=("environment", "session", "capabilities", "landlock-base", "seccomp-base", "limits")
    )
    given = {"FX_TEST_TOKEN": "secret", "HOME": str(tmp_path)}
    attempts = result(off, tmp_path, ATTEMPTS, environment=given, arguments=[str(secret)])
    assert attempts == ["done"] * 6 + ["secret", False]


def test_a_survey_applies_nothing_and_is_one_list(policy: Policy) -> None:
    done = subprocess.run([*OURS, "--survey", wire.encode(policy).decode()], capture_output=True, timeout=SECONDS)
    assert done.returncode == 0
    reports = [wire.decode(json.dumps(report).encode()) for report in json.loads(done.stdout)]
    assert {report.stage for report in reports} == {"launcher", "zygote", "child"}
    assert all(isinstance(report, LayerReport) for report in reports)


@pytest.mark.parametrize(
    "arguments",
    [[], ["{}", "--", "true"], ["--survey"], ["--survey", "[]"], ["{}"], ["{}", "--"], ["no", "--", "/bin/true"]],
)
def test_it_is_told_when_it_is_called_wrongly(arguments: list[str]) -> None:
    done = subprocess.run([*OURS, *arguments], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_another_message_is_no_policy() -> None:
    other = wire.encode(LayerReport("name", "child", "active")).decode()
    done = subprocess.run([*OURS, other, "--", "/bin/true"], capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (2, "fx-lsp: not a policy\n")


@pytest.mark.parametrize("field", ['"read":"/"', '"memory":"all"', '"off":1', '"unknown":1', '"home":null'])
def test_a_policy_is_checked(field: str) -> None:
    text = f'{{"kind":"policy",{field}}}'
    done = subprocess.run([*OURS, text, "--", "/bin/true"], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_whole_seconds_are_seconds(policy: Policy, tmp_path: Path) -> None:
    whole = dataclasses.replace(policy, seconds=20)
    assert result(whole, tmp_path, "print(1)") == 1


def test_nothing_is_started_where_a_layer_fails(policy: Policy, tmp_path: Path) -> None:
    """Here by a filter around the launcher, which refuses Landlock although its version can be asked for."""
    hostile = tmp_path / "hostile.py"
    hostile.write_text(
        "import errno, os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from fx_lsp.worker.sandbox import _seccomp\n"
        "import platform\n"
        "rules = _seccomp.Rules(platform.machine()); rules.refuse(['landlock_restrict_self'])\n"
        "_seccomp.install(rules.filter.assemble())\n"
        "os.execv(sys.argv[2], sys.argv[2:])\n"
    )
    started = tmp_path / "started"
    script = tmp_path / "script.py"
    script.write_text(f"open({str(started)!r}, 'w')")
    command = [*OURS, wire.encode(policy).decode(), "--", sys.executable, str(script)]
    root = str(LAUNCHER.parents[2])
    done = subprocess.run(
        [sys.executable, str(hostile), root, *command], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 3
    assert "could not be confined: the layer landlock-base could not be applied" in done.stderr
    assert not started.exists()


def test_a_missing_interpreter_is_said(policy: Policy) -> None:
    command = [*OURS, wire.encode(policy).decode(), "--", "/nowhere/python", "main.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 3
    assert "/nowhere/python" in done.stderr or "No such file" in done.stderr


def test_modules_of_the_project_are_not_found_by_the_launcher(policy: Policy, tmp_path: Path) -> None:
    """Neither in the current folder nor by the environment."""
    (tmp_path / "json.py").write_text("raise SystemExit('hijacked')")
    given = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "json.py")}
    command = [*OURS, "--survey", wire.encode(policy).decode()]
    done = subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=SECONDS)
    assert "hijacked" not in done.stderr
    assert done.returncode == 0


def test_it_is_quick(policy: Policy, tmp_path: Path) -> None:
    """The budget is 60 ms; what is measured here, processor time, holds on a machine that is busy with other tests."""
    script = tmp_path / "script.py"
    script.write_text("")
    bare = [sys.executable, "-S", str(script)]
    launched = [*OURS, wire.encode(policy).decode(), "--", *bare]

    def least(command: list[str]) -> float:
        times = []
        for _ in range(5):
            process = os.posix_spawn(command[0], command, os.environ)
            _, status, usage = os.wait4(process, 0)
            assert status == 0
            times.append(usage.ru_utime + usage.ru_stime)
        return min(times)

    assert least(launched) - least(bare) < 0.2


@pytest.fixture
def wrapped(policy: Policy) -> Policy:
    """With bubblewrap, where that works."""
    if why := bubblewrap.LAYER.available():
        pytest.skip(why)
    return dataclasses.replace(policy, bubblewrap=True)


def test_in_bubblewrap_other_files_do_not_exist(wrapped: Policy, tmp_path: Path, tmp_path_factory: Any) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("text")
    source = (
        "import json, os, sys\n"
        "print(json.dumps([os.path.exists(sys.argv[1]), os.path.exists(__file__), len(os.listdir('/proc/self/task')),"
        " os.path.exists('/proc/%s/stat' % sys.argv[2]), os.access(os.environ['HOME'], os.W_OK)]))"
    )
    arguments = [str(secret), str(os.getpid())]
    alone = [report.name for report in applied(wrapped, tmp_path)]
    assert alone[0] == "bubblewrap"
    assert result(wrapped, tmp_path, source, arguments=arguments) == [False, True, 1, False, True]


def applied(policy: Policy, folder: Path) -> list[LayerReport]:
    arguments = result(policy, folder, "import json, sys; print(json.dumps(sys.argv))")
    return [wire.decode(json.dumps(report).encode()) for report in json.loads(arguments[-1])]


def test_in_bubblewrap_the_other_layers_hold_too(wrapped: Policy, tmp_path: Path) -> None:
    assert {report.status for report in applied(wrapped, tmp_path)} == {"active"}
    assert "FX_LSP_WITHIN" not in result(wrapped, tmp_path, "import json, os; print(json.dumps(list(os.environ)))")


def test_bubblewrap_that_does_not_work_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "_program", lambda: str(program))
    report = bubblewrap.LAYER.report(Policy(bubblewrap=True))
    assert report.status == "missing"
    assert "Permission denied" in report.why
    monkeypatch.setattr(bubblewrap, "_program", lambda: "")
    assert bubblewrap.LAYER.report(Policy(bubblewrap=True)).why == "bubblewrap is not installed"
