"""`fx-lsp graph`: every format, and what it says when there is nothing to write."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.command import BAD, GOOD, fx_lsp, workspace
from tests.e2e.sources import FOLDED

SEVERAL = """import torch
from torch import nn


# fx: First()(f32[2, 3])
# fx: First()(f32[5, 3])
class First(nn.Module):
    def forward(self, x):
        return x.relu()


# fx: Second()(f32[2, 3])
class Second(nn.Module):
    def forward(self, x):
        return x


class Third(nn.Module):
    def __init__(self, size):
        super().__init__()
"""


CODE = """import torch


class Net(torch.nn.Module):
    def forward(self, x: "f32[2, 8]"):
        # good.py:12
        fc: "f32[2, 4]" = self.fc(x)
        relu: "f32[2, 4]" = fc.relu()
        return relu
"""


def test_the_code_of_the_only_class_is_printed(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "graph", "good.py")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, CODE, "")


def test_colours_change_nothing_else(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "graph", "good.py", "--color", "always")
    assert answer.stdout != CODE
    assert re.sub(r"\x1b\[[0-9;]*m", "", answer.stdout) == CODE


def test_the_suffix_says_the_format(tmp_path: Path) -> None:
    root = workspace(tmp_path, good=GOOD)
    found: dict[str, str] = {}
    for form in ("json", "svg", "html"):
        answer = fx_lsp(root, "graph", "good.py::Net", "--level", "operator", "-o", f"net.{form}")
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
        found[form] = (root / f"net.{form}").read_text("utf-8")
    report = json.loads(found["json"])
    assert (report["level"], report["nodes"][0]["name"]) == ("operator", "x")
    (linear,) = [node for node in report["nodes"] if node["name"] == "linear"]
    assert linear["span"] == {"path": "good.py", "line": 12, "column": 12, "endLine": 12, "endColumn": 22}
    assert ElementTree.fromstring(found["svg"]).tag.endswith("svg")
    assert found["html"].startswith("<!DOCTYPE html>")


def test_half_a_graph(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, bad=BAD), "graph", "bad.py", "--format", "json")
    assert answer.returncode == 1
    assert answer.stderr == (
        "fx-lsp: bad.py:12:13: the graph ends here: `self.fc` takes 9 features in the last dim, "
        "and `x` (f32[2, 8]) has 8\n"
    )
    report = json.loads(answer.stdout)
    assert report["failed"] == "fc"
    assert [node["name"] for node in report["nodes"]] == ["x", "fc"]


def test_another_call(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, several=SEVERAL), "graph", "several.py::First", "--example", "2")
    assert 'x: "f32[5, 3]"' in answer.stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["no.py"], "no.py: there is no such file"),
        (["several.py"], "several.py: which class?  Use one of\n    several.py::First\n    several.py::Second\n"),
        (["several.py::Fourth"], "several.py: there is no module class Fourth in it; use one of\n    several.py::"),
        (["several.py::Second"], "several.py: Second ran no torch operation in this example, so its graph is empty."),
        (["several.py::Third"], "several.py: Third has not run: "),
        (["several.py::First", "--example", "3"], "there is no call 3 that reaches First: there are\n    1: First()"),
        (["several.py::First", "--example", "0"], "calls are counted from 1"),
        (["several.py::First", "--level", "deep"], "there is no level deep; there are module, operator"),
        (["several.py::First", "-o", "a.bmp"], "a.bmp: no format has this suffix; use .py, .dot, .json, .svg, .html"),
        (["several.py::First", "-o", "no/net.py"], "no/net.py: it cannot be written: No such file or directory"),
        (["plain.py"], "plain.py: there is no nn.Module class in it"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path: Path, given: list[str], said: str) -> None:
    answer = fx_lsp(workspace(tmp_path, several=SEVERAL, plain="x = 1\n"), "graph", *given)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"fx-lsp: {said}")


ODD = f"""{FOLDED}

# fx: Odd()(f32[2, 3])
class Odd(nn.Module):
    def forward(self, x):
        return -x if x.sum() > 0 else x
"""


def test_a_rewritten_graph_is_a_file_that_runs_alone(tmp_path: Path) -> None:
    root = workspace(tmp_path, folded=FOLDED)
    answer = fx_lsp(root, "graph", "folded.py::Net", "--rewrite", "fold-batch-norm", "-o", "made.py")
    assert (answer.returncode, answer.stdout) == (0, "")
    found = re.search(r"fx-lsp: Net: conv \+ norm: (\d+ runs .*)$", answer.stderr.strip())
    assert found is not None, answer.stderr
    text = (root / "made.py").read_text()
    assert found[1].replace(", equal", "") in " ".join(
        text.replace(", on other values, sizes and weights: equal", "").split()
    )
    assert "norm" not in text.partition("def forward")[2].partition("def ")[0]
    program = (
        "import torch, folded, made\n"
        "old, new, x = folded.Net().eval(), made.Net(), torch.randn(5, 3, 9, 9)\n"
        "old(x), new.load_state_dict(old.state_dict())\n"
        "torch.testing.assert_close(new(x), old(x))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.')\n{program}"], cwd=root)
    assert done.returncode == 0
    shown = fx_lsp(root, "graph", "made.py::Net")  # its graph can be looked at as that of any model
    assert (shown.returncode, "self.conv(x)" in shown.stdout) == (0, True)


def test_why_a_graph_is_not_rewritten(tmp_path: Path) -> None:
    root = workspace(tmp_path, folded=ODD)
    for arguments, says in (
        (
            ("folded.py::Odd", "--rewrite", "fold-batch-norm"),
            "folded.py:18:22: The graph of Odd is not rewritten: torch.fx",
        ),
        (("folded.py::Net", "--rewrite", "magic"), "there is no such rewrite; there are fold-batch-norm"),
        (("folded.py::Net", "--rewrite", "fold-batch-norm", "--format", "svg"), "a rewritten graph is a Python file"),
    ):
        answer = fx_lsp(root, "graph", *arguments)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert says in answer.stderr
