"""`fx-lsp show`: the source, with what is known inside."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.cli.command import BAD, GOOD, PATIENCE, arguments, environment, fx_lsp, workspace

SHOWN = (
    GOOD.replace("forward(self, x)", "forward(self, x⟦f32[2, 8]⟧)")
    .replace("é = ", "é⟦f32[2, 4]⟧ = ")
    .replace("; h = ", "; h⟦f32[2, 4]⟧ = ")
    .replace("return h", "return⟦f32[2, 4]⟧ h")
)


def test_a_file(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "show", "good.py")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout == SHOWN


def test_colour(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "show", "--color", "always", "good.py")
    assert re.sub(r"\x1b\[[0-9;]*m", "", answer.stdout) == SHOWN.replace("⟦", ": ").replace("⟧", "")
    assert "\x1b" in answer.stdout


def test_problems_stand_below_their_line(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, bad=BAD), "show", "bad.py")
    lines = answer.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "self.fc(x)" in line)
    message = "`self.fc` takes 9 features in the last dim, and `x` (f32[2, 8]) has 8"
    assert lines[at + 1].strip() == f"^^^^^^^^^^ error: {message}"
    assert answer.returncode == 0


def test_several_files_have_their_names_above(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD, plain="x = 1\n"), "show", ".")
    assert answer.stdout == f"good.py\n{SHOWN}\nplain.py\nx = 1\n"


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    root = workspace(tmp_path, plain="x = 1\n")
    process = subprocess.Popen(
        arguments("show", "plain.py"),
        cwd=root,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(PATIENCE) == 141
