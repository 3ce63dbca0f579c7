"""Who may run what from the command line, and how trust is written down."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import GOOD, PATIENCE, arguments, configure, environment, fx_lsp, workspace

PARTIAL = '[sandbox]\noff = ["seccomp-child"]\n'
"""A user without one of the layers, which stands for a system that lacks it."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace that brings along an interpreter of its own."""
    root = tmp_path / "workspace"
    root.mkdir()
    workspace(root, good=GOOD)
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    return root


def test_a_pipeline_runs_strangers_in_a_whole_sandbox_but_not_on_their_terms(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.fx-lsp]\ninterpreter = ".venv/bin/python"\ntimeout = 500\n')
    answer = fx_lsp(root, "check", "--format", "json", "good.py")
    assert answer.returncode == 0
    assert answer.stderr == (
        f"fx-lsp: {root} is not trusted, so this does not apply (use --trust): `interpreter` in pyproject.toml, "
        "`timeout` in pyproject.toml, .venv/bin/python\n"
    )
    report = json.loads(answer.stdout)
    assert report["summary"]["traced"] == 1
    found = [(one["line"], one["severity"], one["code"]) for one in report["files"][-1]["diagnostics"]]
    assert found == [(2, "information", "untrusted-config"), (3, "information", "untrusted-config")]


def test_a_trusted_workspace_runs_on_its_terms(root: Path) -> None:
    answer = fx_lsp(root, "check", "--trust", "good.py")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert str(root / ".venv") in answer.stderr


def test_an_interpreter_that_was_typed_is_taken(root: Path) -> None:
    answer = fx_lsp(root, "check", "--interpreter", ".venv/bin/python", "good.py")
    assert answer.returncode == 2
    assert ".venv/bin/python ended before it was ready" in answer.stderr


@pytest.mark.parametrize("command", ["check", "show", "graph"])
def test_a_pipeline_needs_trust_where_the_sandbox_is_not_whole(root: Path, tmp_path: Path, command: str) -> None:
    home = configure(tmp_path, PARTIAL)
    answer = fx_lsp(root, command, "good.py", XDG_CONFIG_HOME=home)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("fx-lsp: The sandbox is not whole, without seccomp-child (left out by the conf")
    assert "--trust" in answer.stderr
    assert f"`fx-lsp trust {root}`" in answer.stderr


@pytest.mark.parametrize("extra", [("--trust",), ()])
def test_trust_is_enough(root: Path, tmp_path: Path, extra: tuple[str, ...]) -> None:
    (root / ".venv" / "bin" / "python").unlink()
    home = configure(tmp_path, PARTIAL if extra else f"trust = [{str(tmp_path)!r}]\n{PARTIAL}")
    answer = fx_lsp(root, "check", *extra, "good.py", XDG_CONFIG_HOME=home)
    assert (answer.returncode, answer.stderr) == (0, "")


def typed(root: Path, keys: str, *given: str, **extra: str) -> tuple[int, str]:
    """A command in a terminal, with what is typed there: its status, and what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        arguments(*given), cwd=root, env=environment(**extra), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, keys.encode())
    shown = b""
    try:
        while select.select([ours], [], [], PATIENCE)[0] and (data := os.read(ours, 4096)):
            shown += data
    except OSError:  # the end of a terminal
        pass
    finally:
        os.close(ours)
    return process.wait(PATIENCE), shown.decode()


def test_a_command_in_a_terminal_is_a_word_of_trust(root: Path) -> None:
    status, shown = typed(root, "", "check", "--quiet", "good.py")
    assert status == 2
    assert ".venv/bin/python ended before it was ready" in shown


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), ("", 2)])
def test_in_a_terminal_one_is_asked_where_the_sandbox_is_not_whole(
    root: Path, tmp_path: Path, answer: str, status: int
) -> None:
    (root / ".venv" / "bin" / "python").unlink()
    home = configure(tmp_path, PARTIAL)
    found, shown = typed(root, f"{answer}\n", "check", "--quiet", "good.py", XDG_CONFIG_HOME=home)
    assert found == status
    assert f"Run the code of {root} all the same? [y/N]" in shown
    assert ("Nothing was run." in shown) == (status == 2)


def test_trust_is_written_down_listed_and_taken_back(root: Path, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    answer = fx_lsp(root, "trust", **home)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith(f"{root} is trusted, with everything below it")
    assert str(tmp_path / "config" / "fx-lsp" / "config.toml") in answer.stdout
    assert fx_lsp(tmp_path, "trust", "--list", **home).stdout == f"{root}\n"
    assert fx_lsp(tmp_path, "trust", "--remove", "workspace", **home).returncode == 0
    assert fx_lsp(tmp_path, "trust", "--list", **home).stdout == ""


def test_what_is_trusted_because_of_another_folder_stays_so(root: Path, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    fx_lsp(tmp_path, "trust", **home)
    answer = fx_lsp(root, "trust", "--remove", **home)
    assert answer.returncode == 2
    assert answer.stderr == f"fx-lsp: {root} is still trusted, because {tmp_path} is: remove that\n"


def test_a_folder_that_is_not_there_is_not_trusted(tmp_path: Path) -> None:
    answer = fx_lsp(tmp_path, "trust", "gone", XDG_CONFIG_HOME=str(tmp_path))
    assert (answer.returncode, answer.stderr) == (2, "fx-lsp: gone: there is no such folder\n")


def test_a_configuration_that_is_not_understood_is_left_alone(root: Path, tmp_path: Path) -> None:
    home = configure(tmp_path, "trust = [")
    answer = fx_lsp(root, "trust", XDG_CONFIG_HOME=home)
    assert answer.returncode == 2
    assert "config.toml cannot be changed" in answer.stderr


def test_doctor(root: Path) -> None:
    answer = fx_lsp(root, "doctor")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert re.search(r"^  active +landlock-base +launcher +ABI \d", answer.stdout, re.MULTILINE)
    assert "It is whole." in answer.stdout
    assert f"\n{root}\n  trust: it is not trusted" in answer.stdout
    assert f"models run in {sys.executable} (found by: the server's own)" in answer.stdout
    assert re.search(r"torch there: 2\.\d", answer.stdout)
    assert f"not used as long as it is not trusted: {root / '.venv' / 'bin' / 'python'}" in answer.stdout


def test_doctor_tells_of_a_torch_that_was_never_imported(root: Path, tmp_path: Path) -> None:
    told, home = "run `import torch` there once", configure(tmp_path, f"trust = [{str(root)!r}]\n")
    assert told not in fx_lsp(root, "doctor", XDG_CONFIG_HOME=home).stdout
    site = root / ".venv" / "lib" / "python3.11" / "site-packages"
    (site / "torch-2.13.0.dist-info").mkdir(parents=True)
    (site / "torch-2.13.0.dist-info" / "METADATA").write_text("Version: 2.13.0\n")
    assert told in fx_lsp(root, "doctor", XDG_CONFIG_HOME=home).stdout
    (site / "torch" / "__pycache__").mkdir(parents=True)
    assert told not in fx_lsp(root, "doctor", XDG_CONFIG_HOME=home).stdout


def test_doctor_as_json_where_the_sandbox_is_not_whole(root: Path, tmp_path: Path) -> None:
    home = configure(tmp_path, f"trust = [{str(root)!r}]\n{PARTIAL}")
    answer = fx_lsp(tmp_path, "doctor", "workspace", "--format", "json", XDG_CONFIG_HOME=home)
    assert (answer.returncode, answer.stderr) == (1, "")
    report = json.loads(answer.stdout)
    assert list(report) == ["version", "python", "platform", "kernel", "config", "problem", "cache", "layers", "folder"]
    lacking = [layer for layer in report["layers"] if layer["status"] != "active"]
    assert [(layer["name"], layer["stage"], layer["status"]) for layer in lacking] == [
        ("seccomp-child", "zygote", "off"),
        ("seccomp-child", "child", "off"),
    ]
    assert report["folder"] == {
        "root": str(root),
        "trust": "trusted",
        "interpreter": str(root / ".venv" / "bin" / "python"),
        "found": ".venv",
        "torch": None,
        "compiled": False,
        "ignored": [],
    }
