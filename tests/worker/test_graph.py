"""The graph of a call: what it holds, that it computes what the module did, and what a failure leaves of it."""

from __future__ import annotations

import itertools
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch
from torch import nn

from fx_lsp.analysis.graph.code import code
from fx_lsp.worker.graph import recording
from tests.worker.graphs import difference, graph, written

LEVELS = ("module", "operator")

NET = dedent(
    """
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)
        def forward(self, x, scale=2.0):
            return self.fc(x).relu() * scale

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.h = nn.ModuleList([Block() for _ in range(2)])
            self.register_buffer("shift", torch.ones(4))
        def forward(self, x, mask=None):
            for block in self.h:
                x = block(x) + self.shift
            return x
    """
)


def test_level_of_modules(tmp_path: Path) -> None:
    found = graph(tmp_path, NET, "Net()(torch.ones(2, 4))", level="module").graph
    assert found is not None
    assert found.signature == "def forward(self, x, mask = None):"
    assert written(found) == [
        " | placeholder x | f32[2, 4] | 17",
        " | placeholder mask | - | 17",
        'h.0 | h_0_fc = getattr(self.h, "0").fc(x) | f32[2, 4] | 10',
        "h.0 | relu = h_0_fc.relu() | f32[2, 4] | 10",
        "h.0 | mul = relu * 2.0 | f32[2, 4] | 10",
        " | shift = self.shift | f32[4] | 19",
        " | add = mul + shift | f32[2, 4] | 19",
        'h.1 | h_1_fc = getattr(self.h, "1").fc(add) | f32[2, 4] | 10',
        "h.1 | relu_1 = h_1_fc.relu() | f32[2, 4] | 10",
        "h.1 | mul_1 = relu_1 * 2.0 | f32[2, 4] | 10",
        " | add_1 = mul_1 + shift | f32[2, 4] | 19",
        " | return add_1 | f32[2, 4] | -",
    ]
    linear = found.nodes[2]
    assert (linear.source, linear.parameters, linear.flops, linear.bytes) == ("Linear", 20, 2 * 2 * 4 * 4, 2 * 4 * 4)
    assert (found.nodes[5].source, found.nodes[5].bytes) == ("buffer", 0)


def test_level_of_operators_expands_modules(tmp_path: Path) -> None:
    found = graph(tmp_path, NET, "Net()(torch.ones(2, 4))").graph
    assert found is not None
    assert written(found)[2:5] == [
        'h.0.fc | h_0_fc_weight = getattr(self.h, "0").fc.weight | f32[4, 4] | 10',
        'h.0.fc | h_0_fc_bias = getattr(self.h, "0").fc.bias | f32[4] | 10',
        "h.0.fc | linear = torch._C._nn.linear(x, h_0_fc_weight, h_0_fc_bias) | f32[2, 4] | 10",
    ]
    assert [(scope.path, scope.name, scope.parent) for scope in found.scopes] == [
        ("", "Net", -1), ("h.0", "Block", 0), ("h.0.fc", "Linear", 1), ("h.1", "Block", 0), ("h.1.fc", "Linear", 3),
    ]  # fmt: skip
    call, forward = (found.spans[index] for index in (found.scopes[1].span, found.scopes[1].definition))
    assert (call.line, call.column, call.end_column) == (19, 16, 24)
    assert (forward.line, forward.column, forward.end_column) == (9, 4, 15)
    weight = found.nodes[2]
    assert (weight.source, weight.parameters) == ("parameter", 16)


def test_graph_of_an_inner_module_is_of_its_first_call(tmp_path: Path) -> None:
    found = graph(tmp_path, NET, "Net()(torch.ones(2, 4))", name="Block", level="module").graph
    assert found is not None
    assert [line.split(" | ")[1] for line in written(found)] == [
        "placeholder x", "placeholder scale", "fc = self.fc(x)", "relu = fc.relu()", "mul = relu * 2.0", "return mul",
    ]  # fmt: skip


def test_class_that_is_not_called_has_none(tmp_path: Path) -> None:
    reply = graph(tmp_path, NET, "Net()(torch.ones(2, 4))", name="Other")
    assert (reply.graph, reply.failure) == (None, None)


def test_a_failure_leaves_the_graph_up_to_the_node_that_raised(tmp_path: Path) -> None:
    source = NET.replace("return x\n", "return x @ torch.ones(3, 3)\n")
    reply = graph(tmp_path, source, "Net()(torch.ones(2, 4))", level="module")
    assert reply.failure is not None
    assert reply.graph is not None
    assert reply.graph.nodes[reply.graph.failed].target == "operator.matmul"
    assert reply.graph.failed == len(reply.graph.nodes) - 1


def test_a_failure_inside_a_leaf_marks_the_leaf(tmp_path: Path) -> None:
    reply = graph(tmp_path, NET, "Net()(torch.ones(2, 5))", level="module")
    assert reply.graph is not None
    failed = reply.graph.nodes[reply.graph.failed]
    assert (failed.op, failed.target) == ("call_module", "h.0.fc")
    assert failed.code == 'h_0_fc = getattr(self.h, "0").fc(x)'


def test_a_call_in_the_body_of_the_file_that_fails(tmp_path: Path) -> None:
    source = NET.replace("return x\n", "return x.tanh() @ torch.ones(3, 3)\n") + "\nNet()(torch.ones(2, 4))\n"
    reply = graph(tmp_path, source, "Net()(torch.ones(2, 4))", level="module")
    assert reply.failure is not None
    assert reply.graph is not None
    assert [node.target for node in reply.graph.nodes[-3:]] == ["tanh", "torch.ones", "operator.matmul"]


def test_a_failure_that_is_caught_leaves_no_node(tmp_path: Path) -> None:
    attempt = "try:\n            x @ x\n        except RuntimeError:\n            pass\n        return x\n"
    source = NET.replace("return x\n", attempt)
    found = graph(tmp_path, source, "Net()(torch.ones(2, 4))").graph
    assert found is not None
    assert (found.failed, "matmul" in str(written(found))) == (-1, False)


@pytest.mark.parametrize(
    "body",
    [
        "with torch.no_grad():\n            return x @ x",
        "try:\n            return x @ x\n        finally:\n            x.sum()",
        "try:\n            return x @ x\n        except RuntimeError as e:\n            raise ValueError from e",
    ],
)
def test_what_runs_on_the_way_out_does_not_hide_the_node_that_raised(tmp_path: Path, body: str) -> None:
    found = graph(tmp_path, NET.replace("return x\n", f"{body}\n"), "Net()(torch.ones(2, 4))").graph
    assert found is not None
    assert found.nodes[found.failed].target == "operator.matmul"
    assert found.failed == len(found.nodes) - 1


def test_what_torch_cannot_describe_leaves_a_graph(tmp_path: Path) -> None:
    source = NET.replace("return x\n", "return (x.to_sparse() @ x.T).relu()\n")
    reply = graph(tmp_path, source, "Net()(torch.ones(2, 4))")
    assert (reply.defect, reply.graph is not None) == ("", True)


def test_higher_order_operators_run_as_they_do_otherwise(tmp_path: Path) -> None:
    cond = "torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))"
    reply = graph(tmp_path, NET.replace("return x\n", f"return {cond}\n"), "Net()(torch.ones(2, 4))")
    assert reply.failure is None or "Counter" not in reply.failure.message


@pytest.mark.parametrize(
    ("signature", "used", "call"),
    [
        ("self, input", "input", "Net()(torch.ones(2, 4))"),
        ("self, *xs, flag=None, **more", "xs[0] + more['y']", "Net()(torch.ones(2, 4), y=torch.ones(2, 4))"),
        ("self, größe", "größe", "Net()(torch.ones(2, 4))"),
        ("self, x, *, z=None", "x", "Net()(torch.ones(2, 4), z=torch.ones(1))"),
    ],
)
def test_generated_code_runs_whatever_the_arguments_are_called(
    tmp_path: Path, signature: str, used: str, call: str
) -> None:
    head = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
    found = graph(tmp_path, f"{head}    def forward({signature}):\n        return ({used}).relu()\n", call).graph
    assert found is not None
    names: dict[str, Any] = {}
    exec(code(found).text, names)
    assert eval(call, {**names, "torch": torch}).equal(torch.full((2, 4), 2.0 if "more" in used else 1.0))


def test_too_many_nodes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MAX_NODES", 6)
    found = graph(tmp_path, NET, "Net()(torch.ones(2, 4))", level="module").graph
    assert found is not None
    assert (len(found.nodes), found.omitted) == (7, 4)
    assert all(node.op != "output" for node in found.nodes)


class Odd(nn.Module):
    """What `symbolic_trace` cannot follow, and what changes tensors in place."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("m", torch.ones(4))
        self.hidden = [nn.Linear(4, 4)]
        self.t = torch.arange(4.0)

    def forward(self, x: Any, *rest: Any, k: int = 2, **more: Any) -> Any:
        y = self.a(x)
        y += 1
        y[:, 0] = 0
        z = (2 - y).T.mT
        a, b = y.chunk(2, -1)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            q, r = y @ y.T, self.a(y)
        with torch.no_grad():
            w = self.hidden[0](y) * self.m + self.t
        try:
            torch.matmul(y, torch.ones(7, 7))
        except RuntimeError:
            w = w + 1
        top = torch.topk(y, k)
        if y.sum().item() > 0 or len(rest) == 1:
            z = self.drop(z)
        d = {"u": a, "v": [b, rest[0]], "s": x.sum().item()}
        return {"q": q, "r": r, "w": w, "d": d, "z": z, "top": top.values + more["f"]}, -y, y**2, 2**y, y % 3, ~(y > 0)


class Swapped(nn.Module):
    """A module of torch that is called with other weights than its own, inside a transform, and in another mode."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> Any:
        doubled = {name: 2 * value for name, value in self.fc.named_parameters()}
        y = torch.func.functional_call(self.fc, doubled, (x,))
        self.drop.eval()
        z = self.drop(y)
        self.fc.weight = nn.Parameter(torch.ones(4, 4))
        return z + self.fc(x)


class Cast(nn.Module):
    """Modules of torch in and out of autocast."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.one(x)
            with torch.autocast("cpu", enabled=False):
                w = self.three(x)
        return y, self.two(x), w


class Packed(nn.Module):
    """Sequences of several lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(4, 3, batch_first=True)

    def forward(self, x: torch.Tensor) -> Any:
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2]), batch_first=True)
        out, _ = self.rnn(packed)
        return nn.utils.rnn.pad_packed_sequence(out, batch_first=True)[0]


class Attention(nn.Module):
    """Heads, einsum, masks."""

    def forward(self, q: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        scores = torch.einsum("bid,bjd->bij", q, q) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~torch.ones(q.shape[1], q.shape[1], dtype=torch.bool).tril(), float("-inf"))
        return nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask) + scores.softmax(-1) @ q


MODULES = {
    "odd": (Odd, (torch.ones(3, 4), torch.ones(2)), {"f": torch.ones(1)}),
    "swapped": (Swapped, (torch.ones(3, 4),), {}),
    "cast": (Cast, (torch.ones(3, 4),), {}),
    "packed": (Packed, (torch.ones(2, 3, 4),), {}),
    "attention": (Attention, (torch.ones(2, 5, 8),), {}),
    "lstm": (lambda: nn.LSTM(3, 4, bidirectional=True), (torch.ones(5, 2, 3),), {}),
    "transformer": (
        lambda: nn.Transformer(16, 2, 2, 2, 32, batch_first=True), (torch.ones(2, 5, 16), torch.ones(2, 4, 16)), {},
    ),
    "convolutions": (
        lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Flatten()),
        (torch.ones(2, 3, 8, 8),), {},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "level"), list(itertools.product(MODULES, LEVELS)))
def test_the_graph_computes_what_the_module_did(name: str, level: str) -> None:
    build, args, kwargs = MODULES[name]
    assert difference(build, args, kwargs, level) == ""
