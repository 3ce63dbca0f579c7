"""`fx-lsp check` where the workspace asks what torch's compilers say."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import GOOD, fx_lsp, workspace

BRANCH = GOOD.replace("é = self.fc(x); h = é.relu()", "h = self.fc(x)\n        if h.sum() > 0:\n            h = -h")


def test_a_diagnostic_of_each_compiler(tmp_path: Path) -> None:
    root = workspace(tmp_path, branch=BRANCH, good=GOOD, quiet=BRANCH.replace("> 0:", "> 0:  # fx: ignore"))
    text = '[tool.fx-lsp]\ntimeout = 60\ncompilers = ["symbolic_trace", "compile", "export"]\n'
    (root / "pyproject.toml").write_text(text)
    answer = fx_lsp(root, "check", "--quiet", "--trust", ".")
    assert (answer.returncode, answer.stderr) == (0, "")
    where = "branch.py:13:12: information"
    assert answer.stdout.splitlines() == [
        f"{where}[export-failure]: torch.export fails here: Could not guard on data-dependent expression Eq(u0, 1). "
        "Consider using data-dependent friendly APIs such as guard_or_false, guard_or_true and statically_known_true.",
        f"{where}[graph-break]: torch.compile breaks the graph here: Detected data-dependent branching (e.g. "
        "`if my_tensor.sum() > 0:`). Use `torch.cond` to express dynamic control flow.",
        f"{where}[symbolic-trace]: torch.fx.symbolic_trace cannot go on here: symbolically traced variables cannot be "
        "used as inputs to control flow.",
    ]


def test_nothing_of_them_unless_asked(tmp_path: Path) -> None:
    assert fx_lsp(workspace(tmp_path, branch=BRANCH), "check", "--quiet", "branch.py").stdout == ""
