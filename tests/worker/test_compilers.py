"""What torch's compilers cannot do with a model: each obstacle at its expression, in a sentence and a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.worker.compilers import compilers
from tests.worker.tracing import in_child

MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, mask=None):
        BODY
"""
CALL = "Net()(f32[2, 4])"
TRACE, COMPILE, EXPORT = ALL = ("symbolic_trace", "compile", "export")
BRANCH = "y = self.fc(x)\nif y.sum() > 0:\n    y = y.relu()\nreturn y"


def tried(folder: Path, body: str, *compilers: str, call: str = CALL, seconds: float = 120) -> TraceReply:
    path = folder / "model.py"
    path.write_text(MODEL.replace("BODY", body.replace("\n", "\n" + 8 * " ")))
    return in_child(TraceRequest(1, str(folder), str(path), call, seconds=seconds, compilers=compilers))


def told(folder: Path, reply: TraceReply) -> list[tuple[str, str, str]]:
    """Compiler, expression, message and hint."""
    lines = (folder / "model.py").read_text().split("\n")
    return [
        (one.compiler, lines[one.span.line - 1][one.span.column : one.span.end_column], f"{one.message}. {one.hint}")
        for one in reply.obstacles
    ]


@pytest.mark.parametrize(
    ("body", "compiler", "where", "says"),
    [
        (BRANCH, TRACE, "y.sum() > 0", "symbolically traced variables cannot be used as inputs to control flow"),
        (BRANCH, COMPILE, "y.sum() > 0", "Use `torch.cond` to express dynamic control flow"),
        (BRANCH, EXPORT, "y.sum() > 0", "Could not guard on data-dependent expression"),
        ("return x * len(x)", TRACE, "len(x)", "please call torch.fx.wrap('len') at module scope"),
        ("for y in x:\n    x = x + y\nreturn x", TRACE, "x", "Proxy object cannot be iterated"),
        ("n = x.sum().item()\nreturn x * n", COMPILE, "x.sum().item()", "capture_scalar_outputs = True"),
        ("x = x + 1\nprint(x.sum())\nreturn x * 2", COMPILE, "print(x.sum())", "builtin operator `print`"),
        ("x = x + 1\nopen('/dev/null').close()\nreturn x * 2", COMPILE, "open('/dev/null')", "Avoid calling builtin"),
        ("x = x + 1\ntorch._dynamo.graph_break()\nreturn x", COMPILE, "torch._dynamo.graph_break()", "Remove"),
        ("return x * x.data_ptr()", COMPILE, "x * x.data_ptr()", "Missing"),
        ("return x * x.data_ptr()", EXPORT, "x.data_ptr()", "please wrap the custom kernel into an opaque custom op"),
    ],
)  # fmt: skip
def test_obstacles(tmp_path: Path, body: str, compiler: str, where: str, says: str) -> None:
    reply = tried(tmp_path, body, compiler)
    assert reply.failure is None, reply.failure
    ((name, expression, text),) = told(tmp_path, reply)
    assert (name, expression) == (compiler, where)
    assert says in text
    assert "\n" not in text
    assert len(text) < 400


def test_several_compilers_and_a_place_once(tmp_path: Path) -> None:
    reply = tried(tmp_path, "y = [BRANCH(one) for one in x]\nreturn y[0]".replace("BRANCH", "self.one"), *ALL)
    assert reply.failure is not None  # there is no such method
    assert reply.obstacles == ()
    body = f"for _ in range(2):\n    x = x + 1\n    x = print(x) or x\n{BRANCH}"
    found = [one[:2] for one in told(tmp_path, tried(tmp_path, body, *ALL))]
    assert (COMPILE, "print(x)") in found
    assert sorted(found) == sorted({*found})
    assert {one for one, _ in found} == {*ALL}


@pytest.mark.parametrize("call", ["torch.compile(Net())(f32[2, 4])", "torch.compile(Net().forward)(f32[2, 4])"])
def test_a_model_that_the_example_compiles(tmp_path: Path, call: str) -> None:
    """The second calls no module."""
    found = [one[:2] for one in told(tmp_path, tried(tmp_path, BRANCH, COMPILE, call=call))]
    assert found == ([(COMPILE, "y.sum() > 0")] if "forward" not in call else [])


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("return self.fc(x).relu()", CALL),
        ("return self.fc(x).relu() if mask is None else x * mask", CALL),
        ("return x.repeat(mask, 1)", "Net()(f32[2, 4], 3)"),
        ("raise SystemExit(3) if torch.compiler.is_compiling() and False else ValueError(3)", CALL),
    ],
)
def test_none(tmp_path: Path, body: str, call: str) -> None:
    assert tried(tmp_path, body, *ALL, call=call).obstacles == ()


def test_whatever_the_code_raises(tmp_path: Path) -> None:
    body = "if torch.compiler.is_exporting():\n    raise SystemExit(3)\nreturn x"
    assert told(tmp_path, tried(tmp_path, body, EXPORT)) == [
        (EXPORT, "raise SystemExit(3)", "the code calls sys.exit(). ")
    ]


def test_what_was_found_before_the_time_was_over_is_kept(tmp_path: Path) -> None:
    body = "if torch.compiler.is_exporting():\n    while True:\n        pass\n" + BRANCH
    reply = tried(tmp_path, body, TRACE, EXPORT, seconds=20)
    assert reply.failure is not None
    assert reply.failure.stage == "timeout"
    assert [one.compiler for one in reply.obstacles] == [TRACE]


def test_every_compiler_has_its_file() -> None:
    assert {*compilers()} == {*ALL}
