"""Which interpreter is found, from files alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fx_lsp.server.interpreter import Interpreter, find_interpreter


def python(path: Path) -> str:
    """An executable file that must not be run: it would fail the test by leaving a trace."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {path}.was-run\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    return root


def test_order(root: Path, tmp_path: Path) -> None:
    setting = python(tmp_path / "setting" / "bin" / "python")
    active = python(tmp_path / "active" / "bin" / "python")
    dotted = python(root / ".venv" / "bin" / "python")
    plain = python(root / "venv" / "bin" / "python")
    conda = python(tmp_path / "conda" / "bin" / "python")
    environment = {"VIRTUAL_ENV": str(tmp_path / "active"), "CONDA_PREFIX": str(tmp_path / "conda")}

    assert find_interpreter(str(root), setting, environment) == Interpreter(setting, "setting")
    for expected in (
        Interpreter(active, "VIRTUAL_ENV"),
        Interpreter(dotted, ".venv"),
        Interpreter(plain, "venv"),
        Interpreter(conda, "CONDA_PREFIX"),
    ):
        assert find_interpreter(str(root), None, environment) == expected
        os.remove(expected.path)
    assert find_interpreter(str(root), None, environment) == Interpreter(sys.executable, "the server's own")
    assert find_interpreter(str(root), "", {}) == Interpreter(sys.executable, "the server's own")
    assert not list(tmp_path.rglob("*.was-run"))


@pytest.mark.parametrize("layout", ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"])
def test_layouts(root: Path, layout: str) -> None:
    path = python(root / ".venv" / layout)
    assert find_interpreter(str(root), None, {}).path == path


def test_what_cannot_be_run_is_passed_over(root: Path) -> None:
    Path(python(root / ".venv" / "bin" / "python")).chmod(0o644)
    (root / "venv" / "bin" / "python").mkdir(parents=True)
    assert find_interpreter(str(root), None, {}).path == sys.executable


def test_link_of_an_environment_is_kept(root: Path) -> None:
    link = root / ".venv" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(sys.executable)
    assert find_interpreter(str(root), None, {}).path == str(link)


def test_setting_from_the_workspace_folder(root: Path) -> None:
    path = python(root / "env" / "bin" / "python")
    assert find_interpreter(str(root), "env/bin/python", {}).path == path
    assert find_interpreter(str(root), "env", {}).path == path
    assert find_interpreter(str(root), "./x/../env/bin/python", {}).path == path


def test_setting_from_home(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = python(tmp_path / "python-x")
    assert find_interpreter(str(root), "~/python-x", {}).path == path


def test_setting_that_is_a_command(root: Path, tmp_path: Path) -> None:
    path = python(tmp_path / "commands" / "python3.99")
    assert find_interpreter(str(root), "python3.99", {"PATH": str(tmp_path / "commands")}).path == path


def test_setting_is_taken_at_its_word(root: Path) -> None:
    python(root / ".venv" / "bin" / "python")
    assert find_interpreter(str(root), "/no/such/python", {}) == Interpreter("/no/such/python", "setting")
    assert find_interpreter(str(root), "no-such-python", {"PATH": ""}) == Interpreter(
        str(root / "no-such-python"), "setting"
    )


def test_an_untrusted_workspace_brings_none(root: Path, tmp_path: Path) -> None:
    inside = python(root / ".venv" / "bin" / "python")
    outside = python(tmp_path / "active" / "bin" / "python")
    own = Interpreter(sys.executable, "the server's own", inside)
    assert find_interpreter(str(root), None, {}, trusted=False) == own
    assert find_interpreter(str(root), None, {"VIRTUAL_ENV": str(root / ".venv")}, trusted=False) == own
    found = find_interpreter(str(root), None, {"VIRTUAL_ENV": str(tmp_path / "active")}, trusted=False)
    assert found == Interpreter(outside, "VIRTUAL_ENV")
    assert find_interpreter(str(root), None, {"CONDA_PREFIX": str(tmp_path / "active")}, trusted=False) == Interpreter(
        outside, "CONDA_PREFIX", inside
    )


def test_an_untrusted_workspace_brings_none_by_links_either(root: Path, tmp_path: Path) -> None:
    inside = python(root / "tools" / "py")
    link = tmp_path / "active" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(inside)
    environment = {"VIRTUAL_ENV": str(tmp_path / "active")}
    assert find_interpreter(str(root), None, environment, trusted=False).passed_over == str(link)
    (tmp_path / "alias").symlink_to(root)
    python(root / "venv" / "bin" / "python")
    assert find_interpreter(str(tmp_path / "alias"), None, {}, trusted=False).path == sys.executable


def test_a_command_is_no_file_of_an_untrusted_workspace(root: Path, tmp_path: Path) -> None:
    here, there = python(root / "python3.99"), python(tmp_path / "commands" / "python3.99")
    environment = {"PATH": str(tmp_path / "commands")}
    assert find_interpreter(str(root), "python3.99", environment).path == here
    assert find_interpreter(str(root), "python3.99", environment, trusted=False).path == there
    assert find_interpreter(str(root), "python3.99", {"PATH": ""}, trusted=False).path == "python3.99"
