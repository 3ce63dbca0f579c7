"""`fx-lsp check`: what is printed, in both formats, and the exit status."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import BAD, GOOD, PATIENCE, fx_lsp, workspace

SAID = "`self.fc` takes 9 features in the last dim, and `x` (f32[2, 8]) has 8"


def report(root: Path, *given: str, status: int = 0) -> dict[str, Any]:
    """The JSON of a check, with nothing else on stdout or stderr."""
    answer = fx_lsp(root, "check", *given, "--format", "json")
    assert (answer.returncode, answer.stderr) == (status, "")
    return json.loads(answer.stdout)


def test_a_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    lost = GOOD.replace("# fx:", "#").replace("return ", "return no_such_package.f(x) + ")
    root = workspace(tmp_path, lost="import no_such_package\n" + lost, good=GOOD)
    answer = fx_lsp(root, "check", ".")
    assert (answer.returncode, "1 traced" in answer.stdout) == (0, True)
    said = "1 module did not run, since there is no module named no_such_package: install it where the models run"
    assert answer.stderr == f"fx-lsp: {said}, see `fx-lsp doctor`\n"
    (module,) = (file["modules"][0] for file in report(root, "lost.py")["files"])
    assert module["reason"].endswith("No module named 'no_such_package'")


@pytest.mark.parametrize("package", ["alone", "whole/part"])
def test_a_package_is_checked_in_its_own_folder(package: str, tmp_path: Path) -> None:
    """Nothing says that a folder above it is a project, so that nothing above can be read."""
    root = tmp_path / package
    root.mkdir(parents=True)
    for folder in (root, *root.parents):
        if folder.is_relative_to(tmp_path) and folder != tmp_path:
            (folder / "__init__.py").touch()
    (root / f"{root.name}.py").write_text("raise RuntimeError('it is not the package')\n")
    (root / "layers.py").write_text(GOOD)
    name = package.replace("/", ".")
    for number, imported in enumerate((f"{name}.layers", ".layers")):
        text = f"from {imported} import Net as Layer\n" + GOOD.replace("nn.Linear(8, 4)", "Layer()")
        (root / f"net_{number}.py").write_text(text)
        (module,) = report(root, f"net_{number}.py")["files"][0]["modules"]
        assert (module["status"], module["reason"]) == ("traced", None)


def test_a_name_cannot_move_the_cursor(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a\x1b[2J.py").write_text(BAD)
    answer = fx_lsp(root, "check", "a\x1b[2J.py")
    assert answer.stdout.startswith("a\u241b[2J.py:12:13: error[linear-features]")
    answer = fx_lsp(root, "check", "no\x1b[2J.py")
    assert (answer.returncode, "\x1b" in answer.stderr) == (2, False)


def test_text(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD, bad=BAD), "check", "bad.py", "good.py")
    assert answer.stderr == ""
    first, *related, summary = answer.stdout.splitlines()
    assert first == f"bad.py:12:13: error[linear-features]: {SAID}"
    assert related == ["    bad.py:9: self.fc is made here", "    bad.py:5: the example: Net()(f32[2, 8])"]
    pattern = r"2 modules in 2 files · 1 traced · 1 partial · 5 hints · 1 error · torch 2\.\S+ · \d+\.\d s"
    assert re.fullmatch(pattern, summary)
    assert answer.returncode == 1


def test_dims_have_names_where_that_is_asked_for(tmp_path: Path) -> None:
    root = workspace(tmp_path, good=GOOD)
    (file,) = report(root, "good.py", "--names")["files"]
    assert [(hint["label"], hint["concrete"]) for hint in file["hints"]][:2] == [
        ("f32[B, 8]", ["f32[2, 8]"]),
        ("f32[B, 4]", ["f32[2, 4]"]),
    ]
    assert "h⟦f32[B, 4]⟧ = é.relu()" in fx_lsp(root, "show", "good.py", "--names").stdout
    assert 'fc: "f32[B, 4]" = self.fc(x)' in fx_lsp(root, "graph", "good.py", "--names").stdout


def test_text_is_coloured_only_when_asked_or_on_a_terminal(tmp_path: Path) -> None:
    root = workspace(tmp_path, bad=BAD)
    plain, colour = (fx_lsp(root, "check", "--quiet", *extra, "bad.py") for extra in ((), ("--color", "always")))
    assert "\x1b" not in plain.stdout
    assert colour.stdout != plain.stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", colour.stdout) == plain.stdout


def test_nothing_wrong(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "check", "--quiet", ".")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


def test_json(tmp_path: Path) -> None:
    found = report(workspace(tmp_path, good=GOOD), "good.py")
    assert list(found) == ["version", "torch", "files", "summary"]
    assert found["version"] == 1
    assert found["torch"].startswith("2.")
    (file,) = found["files"]
    assert file["path"] == "good.py"
    assert file["modules"] == [{"name": "Net", "line": 6, "status": "traced", "reason": None, "examples": [0]}]
    (example,) = file["examples"]
    assert example.pop("ms") > 0
    assert example == {
        "scope": "good.py",
        "setup": "",
        "call": "Net()(f32[2, 8])",
        "dims": {"B": 2},
        "origin": "directive",
        "fills": False,
        "engine": "fake",
    }
    places = [(hint["line"], hint["column"], hint["name"], hint["concrete"]) for hint in file["hints"]]
    assert places == [
        (11, 23, "x", ["f32[2, 8]"]),
        (12, 9, "é", ["f32[2, 4]"]),
        (12, 25, "h", ["f32[2, 4]"]),
        (13, 14, "return", ["f32[2, 4]"]),
    ]
    assert file["diagnostics"] == []
    seconds = found["summary"].pop("seconds")
    assert 0 < seconds < PATIENCE
    assert found["summary"] == {"modules": 1, "traced": 1, "hints": 4}


def test_json_of_an_error(tmp_path: Path) -> None:
    found = report(workspace(tmp_path, bad=BAD), "bad.py", status=1)
    (diagnostic,) = found["files"][0]["diagnostics"]
    assert diagnostic == {
        "line": 12,
        "column": 12,
        "endLine": 12,
        "endColumn": 22,
        "severity": "error",
        "code": "linear-features",
        "message": SAID,
    }


def test_paths_are_relative_to_the_root(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "models").mkdir()
    (root / "models" / "net.py").write_text(GOOD, "utf-8")
    assert [file["path"] for file in report(root / "models", "net.py")["files"]] == ["models/net.py"]


def test_a_root_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    workspace(tmp_path / "real", net=GOOD)
    (tmp_path / "link").symlink_to("real")
    (file,) = report(tmp_path, "link/net.py")["files"]
    assert (file["path"], len(file["hints"])) == ("net.py", 4)


def test_files_without_models_need_no_torch(tmp_path: Path) -> None:
    found = report(workspace(tmp_path, plain="x = 1\n"), ".")
    assert found["torch"] is None
    assert found["summary"].pop("seconds") < PATIENCE
    assert found["summary"] == {"modules": 0, "traced": 0, "hints": 0}


def test_a_mistake_in_the_configuration(tmp_path: Path) -> None:
    root = workspace(tmp_path, good=GOOD)
    (root / "pyproject.toml").write_text("[tool.fx-lsp]\ntimeout = 'soon'\n")
    answer = fx_lsp(root, "check", "--quiet", "good.py")
    assert re.fullmatch(r"pyproject\.toml:2:\d+: error\[bad-config\]: .*timeout.*\n", answer.stdout)
    assert answer.returncode == 1


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "check", "good.py", "gone.py")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == "fx-lsp: gone.py: there is no such file or folder\n"


@pytest.mark.parametrize("given", [(), ("--format", "xml", "."), ("--speed", ".")], ids=str)
def test_a_wrong_command_line(tmp_path: Path, given: tuple[str, ...]) -> None:
    answer = fx_lsp(tmp_path, "check", *given)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("usage: fx-lsp ")


def test_an_interpreter_without_torch(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True, timeout=PATIENCE)
    root = workspace(tmp_path, good=GOOD)
    answer = fx_lsp(root, "check", "--interpreter", str(bare / "bin" / "python"), "--format", "json", "good.py")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("fx-lsp: ")
    assert "torch" in answer.stderr
    assert str(bare) in answer.stderr
    assert "Traceback" not in answer.stderr


def test_what_models_print_is_not_in_the_output(tmp_path: Path) -> None:
    loud = GOOD.replace("        return h\n", "        print('loud')\n        return h\n")
    assert report(workspace(tmp_path, loud=loud), "loud.py")["summary"]["traced"] == 1


def test_verbose_says_which_python_runs_the_models(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "check", "--quiet", "--verbose", "good.py")
    assert (answer.returncode, answer.stdout) == (0, "")
    assert f"models run in {sys.executable} " in answer.stderr
