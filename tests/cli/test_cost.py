"""`fx-lsp cost`: the table, other sizes, the formula, the plot, and what it says when there is nothing to count."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.command import BAD, GOOD, fx_lsp, workspace

PRODUCT = 2 * 8 * 4
"""Operations of the model, for one row of its input."""
PRODUCT_OF_TWO = """import torch
from torch import nn


# fx: Net()(f32[B:2, T:4, 8])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.conv = nn.Conv1d(8, 8, 2, stride=2)

    def forward(self, x, strided=False):
        assert x.shape[1] <= 12, "too long"
        x = self.fc(x)
        return x @ x.transpose(1, 2)


# fx: Strided()(f32[B:2, 8, T:8])
class Strided(Net):
    def forward(self, x):
        return self.conv(x)
"""


def test_a_table_of_modules(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "cost", "good.py")
    assert (answer.returncode, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0] == "Net()(f32[2, 8])"
    assert lines[1].startswith("forward        128 FLOPs · 0.")
    assert lines[2] == "parameters     36 · 144 B with buffers"
    # No gradient of the input is needed.
    assert lines[3] == "training step  256 FLOPs · 32 B kept for backward"
    assert [line.split() for line in lines[6:]] == [
        ["module", "FLOPs", "share", "backward", "kept", "params"],
        ["Net", "Net", "128", "FLOPs", "100", "%", "128", "FLOPs", "32", "B", "36"],
        ["fc", "Linear", "128", "FLOPs", "100", "%", "128", "FLOPs", "36"],
    ]


def test_a_table_of_lines_at_other_sizes(tmp_path: Path) -> None:
    root = workspace(tmp_path, good=GOOD)
    answer = fx_lsp(root, "cost", "good.py::Net", "--by", "line", "--dims", "B=50")
    assert (answer.returncode, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0] == "Net()(f32[50, 8])"
    assert lines[-1].split("  ")[:2] == ["good.py:12", "é = self.fc(x); h = é.relu()"]
    assert "3.2 kFLOPs" in lines[-1]


def test_json(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, good=GOOD), "cost", "good.py", "--format", "json")
    found = json.loads(answer.stdout)
    assert (found["version"], found["class"], found["call"], found["scope"]) == (
        1,
        "Net",
        "Net()(f32[2, 8])",
        "good.py",
    )
    assert (found["forward"]["flops"], found["parameters"]) == (2 * PRODUCT, 36)
    assert found["training"]["flops"] == 4 * PRODUCT
    assert found["training"]["peak"]["adam"] > found["training"]["peak"]["sgd"] > found["forward"]["peak"]
    assert [one["path"] for one in found["modules"]] == ["", "fc"]
    assert [one["place"] for one in found["lines"]] == ["good.py:12"]


def test_the_formula_holds_at_every_size_that_runs(tmp_path: Path) -> None:
    root = workspace(tmp_path, two=PRODUCT_OF_TWO)
    answer = fx_lsp(root, "cost", "two.py::Net", "--symbolic")
    assert "FLOPs = 16*B*T**2 + 128*B*T" in answer.stdout
    answer = fx_lsp(root, "cost", "two.py::Strided", "--symbolic")
    assert "FLOPs = 2*B*(T//2)*2*8*8" in answer.stdout
    assert answer.stdout.splitlines()[-1].endswith("2*B*(T//2)*2*8*8")
    answer = fx_lsp(root, "cost", "two.py::Net", "--symbolic", "--dims", "B=3,T=5", "--format", "json")
    found = json.loads(answer.stdout)
    assert found["formula"] == "16*B*T**2 + 128*B*T"
    assert found["forward"]["flops"] == 16 * 3 * 25 + 128 * 15
    assert [one["formula"] for one in found["modules"]] == ["16*B*T**2 + 128*B*T", "2*B*T*8*8"]


def test_a_plot(tmp_path: Path) -> None:
    root = workspace(tmp_path, two=PRODUCT_OF_TWO)
    answer = fx_lsp(root, "cost", "two.py::Net", "--against", "T", "-o", "plot.svg", "--format", "json")
    assert (answer.returncode, answer.stderr) == (0, "")
    # Sixteen is too long.
    assert [one["size"] for one in json.loads(answer.stdout)["against"]] == [1, 2, 4, 8, 12]
    picture = ElementTree.parse(root / "plot.svg").getroot()
    told = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert "forward, T=8: 4.1 kFLOPs" in told
    answer = fx_lsp(root, "cost", "two.py::Net", "--against", "T=2,6")
    assert [line[:4] for line in answer.stdout.splitlines()[-2:]] == ["T=2:", "T=6:"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("good.py", "--dims", "T=3"), "the example Net()(f32[B:2, 8]) has no dim T: its dims are B=2"),
        (("good.py", "--dims", "B"), "'B' is no dim with a size: write B=8,T=1024"),
        (("good.py", "--against", "B=x"), "'B=x' is no dim: write T, or T=16,64,256 for its sizes"),
        (("good.py", "-o", "plot.svg"), "-o writes the plot of --against: say against which dim"),
        (("good.py", "--against", "B", "-o", "plot.png"), "plot.png: a plot is an .svg file"),
        (("good.py", "--example", "2"), "there is no call 2 that reaches Net: there are\n    1: Net()(f32[2, 8])"),
        (("good.py::No",), "there is no module class No in it; use one of"),
        (("no.py",), "no.py: there is no such file"),
        (("bad.py",), "bad.py: Net()(f32[2, 8]) fails, so its costs are not known: "),
        (
            ("plain.py", "--symbolic"),
            "the example has no named dims: write a call with names above the class, such as ",
        ),
        (("two.py::Net", "--dims", "T=13"), "Net()(f32[2, 13, 8]): its costs are not known: AssertionError: too long"),
        (("two.py::Net", "--against", "T=13"), "Net()(f32[2, 13, 8]) fails: AssertionError: too long"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, given: tuple[str, ...], says: str) -> None:
    plain = GOOD.replace("B:2", "2")
    root = workspace(tmp_path, good=GOOD, bad=BAD, plain=plain, two=PRODUCT_OF_TWO)
    answer = fx_lsp(root, "cost", *given)
    assert answer.returncode == 2
    assert says in answer.stderr
    assert answer.stdout == ""


def test_what_cannot_be_trained(tmp_path: Path) -> None:
    source = GOOD.replace("    def forward", "    @torch.no_grad()\n    def forward")
    answer = fx_lsp(workspace(tmp_path, good=source), "cost", "good.py")
    assert "training    not known: NoGradientError: the result depends on no parameter by a gradient" in answer.stdout
