"""A graph is rewritten: the file that comes of it runs alone, loads the old state dict and computes the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent, indent

import pytest

from fx_lsp.model.graph_rewrite import GraphRewrite, Rewritten
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.server.vetted_module import is_module_file
from fx_lsp.worker import graph_rewrites
from fx_lsp.worker.graph_rewrites import GraphRule
from tests.worker.tracing import in_child

FOLD = "fold-batch-norm"
MODEL = """
import math
import torch
from torch import nn
from torch.nn import functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
INIT

    def forward(self, x):
BODY
"""
ALONE = """
import importlib, json, sys, torch
torch.set_default_dtype(torch.float64)

def same(folder, shape):
    sys.path.insert(0, folder)
    for name in ("made", "old"):
        sys.modules.pop(name, None)
    made, old = importlib.import_module("made"), importlib.import_module("old")
    sys.path.remove(folder)
    before = old.Net().double().eval()
    with torch.no_grad():
        for name, one in before.state_dict().items():
            if one.is_floating_point():
                one.copy_(torch.rand(one.shape) + 0.5)
    state = before.state_dict()
    after = made.Net().double()
    after.load_state_dict(state)
    assert not after.training
    again = made.Net().double()
    again.load_state_dict(after.state_dict())  # its own loads, too
    around = torch.nn.Sequential(made.Net()).double()
    around.load_state_dict({f"0.{name}": one for name, one in state.items()})  # below a prefix
    for _ in range(2):
        x = torch.randn(shape)
        with torch.no_grad():
            wanted = before(x)
            for one in (after, again, around):
                torch.testing.assert_close(one(x), wanted, rtol=1e-9, atol=1e-9)
    assert list(state) == list(before.state_dict())

for case in json.loads(sys.argv[1]):
    same(*case)
assert not any(name.startswith("fx_lsp") for name in sys.modules)
print("same")
"""


def written(folder: Path, init: str, body: str) -> Path:
    path = folder / "old.py"
    parts = {"INIT": init, "BODY": body}
    source = re.sub("INIT|BODY", lambda found: indent(dedent(parts[found[0]]).strip(), 8 * " "), MODEL)
    path.write_text(source)
    return path


def rewritten(folder: Path, init: str, body: str, call: str, rule: str = FOLD, name: str = "Net") -> TraceReply:
    path = written(folder, init, body)
    wanted = GraphRewrite(rule, str(path), name)
    return in_child(TraceRequest(1, str(folder), str(path), call, seconds=200, rewrite=wanted))


def made(folder: Path, init: str, body: str, shape: tuple[int, ...]) -> Rewritten:
    """The rewrite, with its file written."""
    folder.mkdir(exist_ok=True)
    reply = rewritten(folder, init, body, f"Net()(f32{[*shape]})")
    assert reply.failure is None, reply.failure.detail
    found = reply.rewritten
    assert found is not None
    assert found.why == ""
    (folder / "made.py").write_text(found.after)
    assert is_module_file(found.after)
    assert is_module_file(found.before)
    return found


def run_alone(*cases: tuple[Path, tuple[int, ...]]) -> None:
    """Load a state dict of the old module into the new one, in a Python that knows nothing of us."""
    given = json.dumps([(str(folder), shape) for folder, shape in cases])
    run = [sys.executable, "-c", ALONE, given]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=cases[0][0])
    assert done.stdout == "same\n", done.stderr


def forward(text: str) -> str:
    return text.partition("def forward")[2].partition("def ")[0]


@pytest.mark.parametrize("rule", graph_rewrites.rules().values(), ids=lambda rule: rule.id)
def test_docstring_is_true(tmp_path: Path, rule: GraphRule) -> None:
    module = sys.modules[rule.apply.__module__]
    parts = re.search(r"Before:\n(.*)After:\n(.*)", module.__doc__ or "", re.DOTALL)
    assert parts is not None
    init = "self.layer, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)"
    found = [rewritten(tmp_path, init, part, "Net()(f32[2, 3, 8, 8])", rule.id).rewritten for part in parts.groups()]
    assert all(one is not None for one in found)
    before, after = found
    assert before is not None
    assert after is not None
    assert before.why == ""
    assert after.why == rule.nothing  # it is done
    names = re.findall(r"self\.(\w+)", forward(before.after))
    assert names == re.findall(r"self\.(\w+)", parts[2]) == ["layer"]


LAYERS = [
    ("nn.Conv1d(4, 6, 3, bias=False)", "nn.BatchNorm1d(6)", (2, 4, 9)),
    ("nn.Conv1d(4, 6, 3, padding=1, padding_mode='circular')", "nn.BatchNorm1d(6, affine=False)", (2, 4, 9)),
    ("nn.Conv2d(4, 6, (3, 1), stride=2, groups=2)", "nn.BatchNorm2d(6, eps=0.1, momentum=None)", (2, 4, 9, 9)),
    ("nn.Conv2d(4, 6, 3, padding='same', dilation=2)", "nn.SyncBatchNorm(6)", (2, 4, 9, 9)),
    ("nn.Conv3d(2, 3, 2)", "nn.BatchNorm3d(3)", (2, 2, 4, 4, 4)),
    ("nn.ConvTranspose1d(4, 6, 3, groups=2, bias=False)", "nn.BatchNorm1d(6)", (2, 4, 5)),
    ("nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1)", "nn.BatchNorm2d(6)", (2, 4, 5, 5)),
    ("nn.ConvTranspose3d(2, 2, 2, groups=2)", "nn.BatchNorm3d(2)", (2, 2, 3, 3, 3)),
    ("nn.Linear(4, 6)", "nn.BatchNorm1d(6)", (3, 4)),
    ("nn.Linear(4, 6, bias=False)", "nn.BatchNorm1d(6)", (3, 4)),
]


def test_every_layer(tmp_path: Path) -> None:
    for number, (layer, norm, shape) in enumerate(LAYERS):
        init = f"self.body = nn.Sequential({layer}, {norm})"
        found = made(tmp_path / str(number), init, "return self.body(x).relu()", shape)
        assert found.made == ("body.0 + body.1",)
        assert (found.dtype, found.checks > 2, found.difference < 1e-12) == ("f64", True, True)
        assert f"{found.checks} runs of old and new in double precision" in " ".join(found.after.split())
        assert "torch.nn.BatchNorm" not in found.after
        assert re.search(r"torch\.nn\.(Sync)?BatchNorm", found.before)
    run_alone(*((tmp_path / str(number), shape) for number, (_, _, shape) in enumerate(LAYERS)))


def test_what_else_a_model_has(tmp_path: Path) -> None:
    init = """
        self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.after = nn.ModuleDict({"0": nn.LayerNorm(4), "act": nn.GELU(approximate="tanh")})
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("shift", torch.zeros(4))
        self.register_buffer("steps", torch.arange(4.0), persistent=False)
        self.unused = nn.Linear(2, 2)
        self.alias = self.conv
        self._table = torch.tensor([[1.0, float("inf")], [0.5, 2.0]])
        self.drop = nn.Dropout(0.5)
    """
    body = """
        x = self.norm(self.conv(x)).flatten(2).mT
        x = self.after["act"](self.after["0"](x)) * self.scale + self.shift.exp() + self.steps
        x, _ = self.attention(x, x, x, need_weights=False)
        return self.drop(x).sum(-1) * self._table.min() + x.shape[1] + math.pi
    """
    found = made(tmp_path, init, body, (2, 3, 6, 6))
    run_alone((tmp_path, (2, 3, 6, 6)))
    assert found.made == ("conv + norm",)
    for name in ("unused.weight", "unused.bias", "alias.weight", "alias.bias"):
        assert repr(name) in found.after
    assert "# fx: Net()(f32[2, 3, 6, 6])" in found.after


@pytest.mark.parametrize(
    ("init", "body", "call"),
    [
        ("nn.BatchNorm2d(3, track_running_stats=False)", "return self.norm(self.conv(x))", "f32[2, 3, 5, 5]"),
        ("nn.BatchNorm2d(3)", "y = self.conv(x)\nreturn self.norm(y) + y", "f32[2, 3, 5, 5]"),
        ("nn.BatchNorm2d(3)", "return self.norm(self.conv(self.conv(x)))", "f32[2, 3, 5, 5]"),
        ("nn.BatchNorm2d(3)", "return self.norm(self.conv(x)) + self.norm(x)", "f32[2, 3, 5, 5]"),
        ("nn.BatchNorm2d(3)", "return self.conv(self.norm(x))", "f32[2, 3, 5, 5]"),
        ("nn.BatchNorm2d(3)", "return self.norm(self.conv(x).relu())", "f32[2, 3, 5, 5]"),
        ("nn.InstanceNorm2d(3, track_running_stats=True)", "return self.norm(self.conv(x))", "f32[2, 3, 5, 5]"),
        ("nn.BatchNorm1d(3)", "return self.norm(self.fc(x))", "f32[2, 3, 3]"),  # the channels are in the middle
    ],
)
def test_near_misses(tmp_path: Path, init: str, body: str, call: str) -> None:
    layers = f"self.conv, self.fc, self.norm = nn.Conv2d(3, 3, 1), nn.Linear(3, 3), {init}"
    reply = rewritten(tmp_path, layers, body, f"Net()({call})")
    assert reply.rewritten is not None
    assert reply.rewritten.why == graph_rewrites.rules()[FOLD].nothing
    assert reply.rewritten.after == ""


@pytest.mark.parametrize(
    ("init", "body"),
    [
        ("pass", "return self.norm(self.conv(x)) + self.conv.weight.sum()"),  # which is another one when folded
        ("pass", "y = self.norm(self.conv(x))\nreturn y + self.norm.running_mean.sum()"),
        ("self.calls = 0", "self.calls += 1\nreturn self.norm(self.conv(x)) * self.calls"),
    ],
)
def test_only_the_comparison_tells(tmp_path: Path, init: str, body: str) -> None:
    layers = f"self.conv, self.norm = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3)\n{init}"
    reply = rewritten(tmp_path, layers, body, "Net()(f32[2, 3, 5, 5])")
    assert reply.rewritten is not None
    assert reply.rewritten.why.startswith("it is not done, since ")
    assert (reply.rewritten.after, reply.rewritten.before) == ("", "")


@pytest.mark.parametrize(
    ("body", "says", "where"),
    [
        ("if x.sum() > 0:\n    x = -x\nreturn self.norm(self.conv(x))", "inputs to control flow", "x.sum() > 0"),
        ("return self.norm(self.conv(x)) + torch.zeros(len(x), 1, 1, 1)", "len", "len(x)"),
    ],
)  # fmt: skip
def test_what_cannot_be_traced(tmp_path: Path, body: str, says: str, where: str) -> None:
    layers = "self.conv, self.norm = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3)"
    found = rewritten(tmp_path, layers, body, "Net()(f32[2, 3, 5, 5])").rewritten
    assert found is not None
    assert found.why.startswith("torch.fx.symbolic_trace cannot go on: ")
    assert says in found.why
    assert found.span is not None
    line = (tmp_path / "old.py").read_text().split("\n")[found.span.line - 1]
    assert line[found.span.column : found.span.end_column] == where


def test_what_cannot_be_written(tmp_path: Path) -> None:
    layers = "self.conv, self.norm, self.table = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3), torch.rand(20, 20)"
    body = "return self.norm(self.conv(x)) * self.table"
    found = rewritten(tmp_path, layers, body, "Net()(f32[2, 3, 20, 20])").rewritten
    assert found is not None
    assert found.why == "table is a constant of 400 numbers, which are in no state dict"


def test_arguments_that_are_no_tensors_are_part_of_the_graph(tmp_path: Path) -> None:
    path = written(tmp_path, "self.conv, self.norm = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3)", "return x")
    text = path.read_text().replace("def forward(self, x):", "def forward(self, x, *more, twice=False, **named):")
    path.write_text(
        text.replace("return x", "y = self.norm(self.conv(x + more[0]))\n"
                     "        return (2 * y if twice else y) + named['z']")
    )  # fmt: skip
    call = "Net()(f32[2, 3, 5, 5], f32[5], 7, twice=True, z=f32[1])"
    asked = GraphRewrite("", str(path), "Net")
    found = in_child(TraceRequest(1, str(tmp_path), str(path), call, seconds=200, rewrite=asked)).rewritten
    assert found is not None
    assert (found.why, found.rule) == ("", FOLD)
    assert "where more_1 is 7, twice is True" in found.after
    assert "def forward(self, x, more_0, z):" in found.after


def test_other_dtypes_of_weights_stay(tmp_path: Path) -> None:
    init = "self.conv, self.norm = nn.Conv2d(3, 3, 1).to(torch.bfloat16), nn.BatchNorm2d(3).to(torch.bfloat16)"
    reply = rewritten(tmp_path, init, "return self.norm(self.conv(x.bfloat16()))", "Net()(f32[2, 3, 5, 5])")
    assert reply.rewritten is not None
    assert "does not run on real tensors" in reply.rewritten.why  # the dtype is in the code: nothing can be compared
    body = "return self.norm(self.conv(x))"
    reply = rewritten(tmp_path, init, body, "Net()(bf16[2, 3, 5, 5])")
    assert reply.rewritten is not None
    assert reply.rewritten.why == ""
    assert "dtype=torch.bfloat16" in reply.rewritten.after


def test_a_class_inside_and_one_that_is_not_called(tmp_path: Path) -> None:
    path = tmp_path / "old.py"
    path.write_text(
        "import torch\nfrom torch import nn\n"
        "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.body = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))\n"
        "    def forward(self, x):\n        return self.body(x)\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.block = Block()\n"
        "    def forward(self, x):\n        return self.block(x) if x.sum() < 1e9 else x\n"
    )
    found = {}
    for name in ("Block", "Net", "None"):
        asked = GraphRewrite(FOLD, str(path), name)
        request = TraceRequest(1, str(tmp_path), str(path), "Net()(f32[2, 3, 5, 5])", seconds=200, rewrite=asked)
        found[name] = in_child(request).rewritten
    assert found["Block"].why == ""
    assert found["Net"].why.startswith("torch.fx.symbolic_trace cannot go on")
    assert (found["None"].uncalled, "does not call an instance of None" in found["None"].why) == (True, True)


def test_a_rule_that_there_is_not(tmp_path: Path) -> None:
    found = rewritten(tmp_path, "pass", "return x", "Net()(f32[2])", "magic").rewritten
    assert found is not None
    assert found.why == f"there is no such rewrite; there are {', '.join(graph_rewrites.rules())}"
