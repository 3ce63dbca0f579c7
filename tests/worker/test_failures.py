"""A failure keeps everything before it and names the exact expression."""

import subprocess
import sys
from pathlib import Path

import pytest

from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.value import label
from tests.worker.tracing import annotated, trace

HEAD = "import torch\nfrom torch import nn\n"


def text_of(folder: Path, span: Span | None) -> str:
    assert span is not None
    lines = Path(span.path).read_bytes().split(b"\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    assert span.path.startswith(str(folder))
    return b"\n".join(lines).decode()


def failing(folder: Path, body: str, call: str, **options: object) -> TraceReply:
    reply = trace(folder, HEAD + body, call, **options)  # type: ignore[arg-type]
    assert reply.failure is not None
    return reply


def test_shape_error_in_a_helper(tmp_path: Path) -> None:
    body = """
def project(t, w):
    é = t * 2; return (é @ w).relu()

class Net(nn.Module):
    def forward(self, x):
        h = x.t()
        return project(h, torch.ones(5, 5))
"""
    for engine in ("fake", "real"):
        reply = failing(tmp_path, body, "Net()(f32[2, 3])", engine=engine)
        failure = reply.failure
        assert failure is not None
        assert (failure.stage, failure.error, failure.proven) == ("trace", "RuntimeError", True)
        assert text_of(tmp_path, failure.span) == "é @ w"
        assert [text_of(tmp_path, span) for span in failure.calls] == ["project(h, torch.ones(5, 5))"]
        assert "h⟦f32[3, 2]⟧ = x.t()" in annotated(reply, tmp_path / "model.py")
    assert failure.message == "mat1 and mat2 shapes cannot be multiplied (3x2 and 5x5)"


def test_multi_line_call(tmp_path: Path) -> None:
    body = "def f(x):\n    return torch.cat(\n        [x,\n         x[0]],\n        dim=1,\n    )\n"
    failure = failing(tmp_path, body, "f(f32[2, 3])").failure
    assert failure is not None
    assert text_of(tmp_path, failure.span) == "torch.cat(\n        [x,\n         x[0]],\n        dim=1,\n    )"


def test_method_chain_over_lines(tmp_path: Path) -> None:
    body = "def f(x):\n    return (x.relu()\n            .view(5, 5)\n            .sum())\n"
    failure = failing(tmp_path, body, "f(f32[2, 3])", engine="real").failure
    assert failure is not None
    assert text_of(tmp_path, failure.span) == "x.relu()\n            .view(5, 5)"


def test_constructor_raises(tmp_path: Path) -> None:
    body = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        raise ValueError('no')\n"
    )
    failure = failing(tmp_path, body, "Net()(f32[2])").failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("construct", "ValueError: no")


def test_import_error(tmp_path: Path) -> None:
    failure = failing(tmp_path, "import not_there_at_all\n", "Net()(f32[2])").failure
    assert failure is not None
    assert (failure.stage, failure.message) == ("import", "ModuleNotFoundError: No module named 'not_there_at_all'")
    assert text_of(tmp_path, failure.span) == "import not_there_at_all"


def test_syntax_error_in_an_imported_file(tmp_path: Path) -> None:
    failure = failing(tmp_path, "import other\n", "f()", files={"other.py": "x = 1\ny = (\n"}).failure
    assert failure is not None
    assert failure.stage == "import"
    assert failure.span is not None
    assert (failure.span.path, failure.span.line) == (str(tmp_path / "other.py"), 2)


def test_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    failure = failing(tmp_path, "import latin\n", "f()").failure
    assert failure is not None
    assert failure.stage == "import"
    assert "utf-8" in failure.message.lower()


def test_sys_exit_and_keyboard_interrupt(tmp_path: Path) -> None:
    body = "import sys\ndef f(x):\n    y = x + 1\n    sys.exit(3)\n"
    reply = failing(tmp_path, body, "f(f32[2])")
    assert reply.failure is not None
    assert reply.failure.message == "the code calls sys.exit()"
    assert "y⟦f32[2]⟧" in annotated(reply, tmp_path / "model.py")
    failure = failing(tmp_path, "def f():\n    raise KeyboardInterrupt\n", "f()").failure
    assert failure is not None
    assert failure.error == "KeyboardInterrupt"


def test_endless_loop_keeps_what_came_before(tmp_path: Path) -> None:
    body = "def f(x):\n    y = x.sum()\n    while True:\n        y = y + 1\n"
    reply = failing(tmp_path, body, "f(f32[2])", seconds=2)
    assert reply.failure is not None
    assert (reply.failure.stage, reply.failure.message) == ("timeout", "did not finish within 2 s")
    assert "y⟦f32[]⟧ = x.sum()" in annotated(reply, tmp_path / "model.py")


def test_recursion(tmp_path: Path) -> None:
    failure = failing(tmp_path, "def f(x):\n    return f(x + 1)\n", "f(f32[2])").failure
    assert failure is not None
    assert failure.error == "RecursionError"


def test_message_that_raises(tmp_path: Path) -> None:
    body = "class E(Exception):\n    def __str__(self):\n        raise ValueError\ndef f():\n    raise E\n"
    failure = failing(tmp_path, body, "f()").failure
    assert failure is not None
    assert failure.message == "E: (its message raised ValueError)"


def test_call_that_names_nothing(tmp_path: Path) -> None:
    failure = failing(tmp_path, "", "Nowhere()(f32[2])").failure
    assert failure is not None
    assert (failure.stage, failure.span, failure.message) == (
        "construct",
        None,
        "NameError: name 'Nowhere' is not defined",
    )


def test_nothing_and_a_thousand_outputs(tmp_path: Path) -> None:
    reply = trace(tmp_path, HEAD + "def f(x):\n    y = [x] * 1000\n    return y\ndef g(x): pass\n", "(f(f32[2]), g(1))")
    assert reply.failure is None
    binding = next(binding for binding in reply.bindings if binding.name == "y")
    assert len(binding.variants[0].value.items) == 1000  # type: ignore[union-attr]
    assert "y⟦[f32[2] × 1000]⟧" in annotated(reply, tmp_path / "model.py")


def test_prints_do_not_matter(tmp_path: Path) -> None:
    reply = trace(
        tmp_path, HEAD + "import os\ndef f(x):\n    print(x)\n    os.write(1, b'{}')\n    return x\n", "f(f32[2])"
    )
    assert reply.failure is None


def test_without_columns_the_statement_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x):\n    y = x.t()\n    return (x @\n            x)\n")
    script = (
        "from tests.worker.tracing import in_child, TraceRequest\n"
        f"failure = in_child(TraceRequest(1, {str(tmp_path)!r}, {str(tmp_path / 'model.py')!r}, 'f(f32[2, 3])',"
        " engine='fake')).failure\n"
        "span = failure.span\n"
        "print(span.line, span.column, span.end_line, span.end_column)\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[2])
    assert done.stdout == "3 4 4 14\n", done.stderr


def test_what_only_another_device_can_do_proves_nothing(tmp_path: Path) -> None:
    body = """
class Net(nn.Module):
    def forward(self, x):
        raise NotImplementedError("FlexAttention does not support backward on CPU")
"""
    failure = failing(tmp_path, body, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert not failure.proven


def test_a_call_of_torch_in_a_model_that_the_file_runs_when_it_is_imported(tmp_path: Path) -> None:
    body = """
class Net(nn.Module):
    def forward(self, x):
        return torch.cat([x, x[0]])

Net()(torch.ones(2, 3))
"""
    failure = failing(tmp_path, body, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert text_of(tmp_path, failure.span) == "torch.cat([x, x[0]])"
    assert failure.operation is not None
    assert failure.operation.target == "torch.cat"
    assert [one.text for one in failure.operation.arguments][:1] == ["[x, x[0]]"]


def test_a_layer_of_a_model_that_the_file_runs_when_it_is_imported(tmp_path: Path) -> None:
    body = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.ReLU(), nn.Linear(4, 5))
    def forward(self, x):
        return self.net(x)

Net()(torch.ones(2, 3))
"""
    failure = failing(tmp_path, body, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.layer is not None
    assert text_of(tmp_path, failure.layer.built) == "nn.Linear(4, 5)"


def test_what_fails_in_another_way_the_second_time_is_told_as_the_first_time(tmp_path: Path) -> None:
    body = """
import builtins
class Net(nn.Module):
    def forward(self, x):
        if hasattr(builtins, "seen"): raise ValueError("again")
        builtins.seen = True
        return torch.cat([x, x[0]])

Net()(torch.ones(2, 3))
"""
    failure = failing(tmp_path, body, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert (failure.error, failure.operation) == ("RuntimeError", None)
    assert text_of(tmp_path, failure.span) == "torch.cat([x, x[0]])"


def test_several_tensors_that_a_module_returns_in_an_expression(tmp_path: Path) -> None:
    body = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4)
    def forward(self, x):
        return x + self.rnn(x)
"""
    failure = failing(tmp_path, body, "Net()(f32[5, 2, 4])").failure
    assert failure is not None
    assert failure.operation is not None
    assert [label(one.value) for one in failure.operation.arguments] == ["f32[5, 2, 4]", "(f32[5, 2, 4], f32[1, 2, 4])"]


def test_a_kernel_for_another_device_is_no_fault_of_the_code(tmp_path: Path) -> None:
    body = """
LIBRARY = torch.library.Library("far", "DEF")
LIBRARY.define("away(Tensor x) -> Tensor")

def f(x):
    return torch.ops.far.away(x)
"""
    failure = failing(tmp_path, body, "f(f32[2])", engine="real").failure
    assert failure is not None
    assert "from the 'CPU' backend" in failure.message
    assert not failure.proven


def test_a_loop_that_cannot_go_on_fails_at_what_it_goes_through(tmp_path: Path) -> None:
    source = """
    from torch import nn

    class Net(nn.Module):
        def forward(self, x):
            for a, b in zip([x], [x, x], strict=True):
                x = a + b
            return x
    """
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.span is not None
    line = (tmp_path / "model.py").read_text().split("\n")[failure.span.line - 1]
    assert line[failure.span.column : failure.span.end_column] == "zip([x], [x, x], strict=True)"


@pytest.mark.parametrize(("wanted", "proven"), [("using", False), ("other", True)])
def test_an_installed_package_that_does_not_fit_another_one_proves_nothing(
    tmp_path: Path, wanted: str, proven: bool
) -> None:
    """Another version of it may; a name that the file itself gets wrong is its own."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "other.py").write_text("there = 1\n")
    (tmp_path / "site-packages" / "using.py").write_text("from other import gone\n")
    path = f"import sys\nsys.path.append({str(tmp_path / 'site-packages')!r})\n"
    body = f"{path}def f(x):\n    from {wanted} import gone\n    return x\n"
    failure = failing(tmp_path, body, "f(f32[2, 3])").failure
    assert failure is not None
    assert (failure.error, failure.proven) == ("ImportError", proven)
    assert text_of(tmp_path, failure.span) == f"from {wanted} import gone"
