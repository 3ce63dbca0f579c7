"""Annotated models run: jaxtyping's checker takes every call that was seen, and the same example is found again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.actions.annotate_forward import around
from fx_lsp.analysis.annotations.signature import of_parameter
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.example import Example
from tests.analysis.workspaces import found, workspace
from tests.worker.tracing import trace

HEAD = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

"""
CHECKED = """
import torch
from jaxtyping import install_import_hook
with install_import_hook("model", "beartype.beartype"):
    import model
from model import *
{call}
"""
MODELS = [
    ("def forward(self, x):\n        return self.fc(x)", "f32[2, 8]", "torch.randn(2, 8)", "torch.randn(3, 8)"),
    ("def forward(self, x, mask=None):\n        return self.fc(x), mask", "f32[2, 8], b8[2, 5]",
     "torch.randn(2, 8), torch.rand(2, 5) > 0", "torch.randn(2, 8), torch.rand(2, 5)"),
    ("def forward(self, xs):\n        return {'a': self.fc(xs[0]), 'b': [x.sum() for x in xs]}",
     "(f32[2, 8], i64[3])", "(torch.randn(2, 8), torch.ones(3).long())", "(torch.randn(2, 8), torch.ones(3))"),
    ("def forward(self, *xs, **more):\n        return torch.cat(xs), more['y']",
     "f32[2, 8], f32[3, 8], y=b8[]", "torch.randn(2, 8), torch.randn(3, 8), y=torch.tensor(True)",
     "torch.randn(2, 8), torch.randn(3, 8), y=torch.tensor(1)"),
    ("def forward(self, x: torch.Tensor, *, y: torch.Tensor = None) -> torch.Tensor:\n        return x + y",
     "f32[2, 8], y=f64[8]", "torch.randn(2, 8), y=torch.randn(8).double()", "torch.randn(2, 8), y=torch.randn(8)"),
]  # fmt: skip
"""What `forward` is, an example, and arguments that fit it and that do not."""


def traced(folder: Path, source: str, call: str) -> Snapshot:
    reply = trace(folder, source, call)
    assert reply.failure is None, reply.failure
    path = str(folder / "model.py")
    return Snapshot(path, source, traces=(Trace(Example(path, call, "call"), call, (), reply),))


def annotated(made: Snapshot) -> str:
    line = made.text[: made.text.index("def forward")].count("\n") + 1
    edit = around(made, line)
    assert edit is not None
    return applied(made.text, edit.changes)


def checked(folder: Path, call: str) -> str:
    """What jaxtyping says of a call; empty when it takes it."""
    done = subprocess.run(
        [sys.executable, "-c", CHECKED.format(call=call)], cwd=folder, capture_output=True, text=True, timeout=120
    )
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize(("forward", "inputs", "good", "bad"), MODELS)
def test_the_checker_takes_what_was_seen_and_nothing_else(
    tmp_path: Path, forward: str, inputs: str, good: str, bad: str
) -> None:
    made = traced(tmp_path, f"{HEAD}    {forward}\n", f"Net()({inputs})")
    text = annotated(made)
    assert "jaxtyping" in text
    (tmp_path / "model.py").write_text(text)
    assert checked(tmp_path, f"Net()({good})") == ""
    assert "TypeCheckError" in checked(tmp_path, f"Net()({bad})")


def test_each_parameter_alone_is_taken_too(tmp_path: Path) -> None:
    source = HEAD + "    def forward(self, x, y):\n        return self.fc(x) + y\n"
    made = traced(tmp_path, source, "Net()(f32[2, 8], f32[2, 1])")
    for hint in all_hints(made, {"parameter"}):
        text = applied(source, of_parameter(made, hint.span))
        assert text.count("Float[torch.Tensor") == 1
        (tmp_path / "model.py").write_text(text)
        assert checked(tmp_path, "Net()(torch.randn(2, 8), torch.randn(2, 1))") == ""


@pytest.mark.parametrize(
    ("parameters", "inputs", "again"),
    [
        ("self, x", "f32[2, 8]", "f32[2, 8]"),
        ("self, x, y=None", "f32[2, 8], i64[5]", "f32[2, 8], y=i64[5]"),
        ("self, x, *, y", "bf16[8], y=b8[]", "bf16[8], y=b8[]"),
        ("self, x: torch.Tensor", "f64[2, 8]", "f64[2, 8]"),
    ],
)
def test_the_same_example_is_found_again(tmp_path: Path, parameters: str, inputs: str, again: str) -> None:
    source = f"{HEAD}    def forward({parameters}):\n        return x\n"
    text = annotated(traced(tmp_path, source, f"Net()({inputs})"))
    first = found(workspace(text), "annotation")[0]
    assert first.call == f"Net()({again})"


def test_a_function_that_is_given_nothing_at_times_is_left_alone(tmp_path: Path) -> None:
    source = """import torch

def exists(value):
    return value is not None

def f(x):
    return x if exists(None) or exists([3]) or exists(x) else x
"""
    made = traced(tmp_path, source, "f(f32[2])")
    assert around(made, 3) is None
    assert around(made, 6) is not None
