"""What is proposed to mend a call: the edited text is compared, the most likely first; none is run here."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fx_lsp.analysis import mends
from fx_lsp.analysis.actions import Edit, applied
from fx_lsp.analysis.causes import causes
from fx_lsp.analysis.diagnostics import all_problems, rules
from fx_lsp.analysis.mends import MAX_PROPOSALS, SOON, for_warning, proposals
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group, Opaque, Value
from tests.analysis.facts import PATH, snapshot, tensor
from tests.analysis.test_causes import ARGUMENTS, TARGETS

MODEL = """class Net(nn.Module):
    def __init__(self, dim, inner, classes=2):
        self.layer = {built}
        self.other = nn.Linear(dim, inner)
        self.last = nn.Linear(inner, classes)

    def forward(self, x, y):
        z = {failing}
        return z
"""


def value(item: Any) -> Value:
    """A tensor as text, a list of tensors, or plain data."""
    if isinstance(item, list) and item and all(isinstance(one, str) for one in item):
        return Group("list", tuple(map(tensor, item)))
    return tensor(item) if isinstance(item, str) and item.endswith("]") and "[" in item else Opaque(repr(item))


def attempt(target: str, arguments: tuple[Any, ...], called: str = "", **settings: Any) -> Attempt:
    """A call with these arguments; a dict at the end has those with a keyword."""
    named = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    plain = arguments[:-1] if named else arguments
    given = [Argument(str(number), value(one)) for number, one in enumerate(plain)]
    given += [Argument(name, value(one)) for name, one in named.items()]
    return Attempt(
        target, tuple(given), called, tuple(Argument(name, Opaque(repr(one))) for name, one in settings.items())
    )


def place(text: str, part: str, path: str = PATH) -> Span:
    """The first occurrence, columns in bytes."""
    start = text.index(part)
    line = text.count("\n", 0, start) + 1
    column = len(text[text.rfind("\n", 0, start) + 1 : start].encode())
    lines = part.split("\n")
    end = len(lines[-1].encode()) + (column if len(lines) == 1 else 0)
    return Span(path, line, column, line + len(lines) - 1, end)


def edited(failure: Failure, text: str) -> list[str]:
    """The lines that each proposal changes or adds."""
    found = []
    for edit in proposals(failure, {PATH: text}.get):
        new = applied(text, edit.changes)
        ast.parse(new)
        old = text.splitlines()
        lines = new.splitlines()
        start = next(number for number, line in enumerate(lines) if number >= len(old) or line != old[number])
        end = next(n for n in range(1, len(lines) + 1) if n > len(old) or lines[-n] != old[-n])
        found.append("\n".join(lines[start : len(lines) - end + 1]).strip())
    return found


def of_function(failing: str, target: str, *arguments: Any) -> list[str]:
    """What is proposed for the call of a function, without the name that is bound."""
    text = MODEL.format(built="0", failing=failing)
    failure = Failure("trace", "no", place(text, failing), operation=attempt(target, arguments))
    return [one.removeprefix("z = ") for one in edited(failure, text)]


def of_layer(built: str, failing: str, *arguments: Any, **settings: Any) -> list[str]:
    """What is proposed for a layer."""
    text = MODEL.format(built=built, failing=failing)
    name = built.partition("(")[0].rpartition(".")[2]
    layer = attempt(name, arguments, "self.layer", **settings)
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, place(text, built))
    found = edited(Failure("trace", "no", place(text, failing), layer=layer), text)
    return [one.removeprefix("z = ").removeprefix("self.layer = ") for one in found]


FUNCTIONS = [
    ("x @ y", "torch.Tensor.__matmul__", ("f32[2, 3, 8]", "f32[2, 3, 8]"),
     ["x @ y.transpose(-2, -1)", "x.transpose(-2, -1) @ y"]),
    ("x @ (y + 1)", "torch.Tensor.matmul", ("f32[2, 3, 8]", "f32[2, 3, 8]"), ["x @ (y + 1).transpose(-2, -1)"]),
    ("torch.matmul(x * 2, y)", "torch.matmul", ("f32[2, 3, 8]", "f32[2, 8]"),
     ["torch.matmul(x * 2, y.transpose(-2, -1))"]),
    ("y @ x", "torch.Tensor.matmul", ("f32[8, 3]", "f32[4, 8]"), ["x @ y"]),
    ("torch.bmm(x, y)", "torch.bmm", ("f32[2, 8]", "f32[2, 8, 3]"), []),
    ("x.matmul(y)", "torch.Tensor.matmul", ("f32[2, 8]", "f32[3, 8]"), ["x.matmul(y.transpose(-2, -1))"]),
    ("x * y", "torch.Tensor.mul", ("f32[2, 3, 8, 8]", "f32[2, 3]"), ["x * y[:, :, None, None]"]),
    ("x + y", "torch.Tensor.add", ("f32[8, 5, 4]", "f32[5]"), ["x + y.unsqueeze(-1)"]),
    ("x - y", "torch.Tensor.sub", ("f32[2, 3]", "f32[3, 2]"), ["x.transpose(-2, -1) - y", "x - y.transpose(-2, -1)"]),
    ("x + self.pos", "torch.Tensor.add", ("f32[2, 9, 4]", "f32[1, 16, 4]"), ["x + self.pos[:, :x.size(1)]"]),
    ("torch.cat([x, y], dim=0)", "torch.cat", (["f32[2, 3]", "f32[2, 4]"], {"dim": 0}),
     ["torch.cat([x, y], dim=-1)"]),
    ("torch.cat((x, y))", "torch.cat", (["f32[2, 3, 8]", "f32[2, 4, 8]"],), ["torch.cat((x, y), dim=1)"]),
    ("torch.cat([x, y], 1)", "torch.cat", (["f32[2, 3, 8]", "f32[2, 8]"], 1),
     ["torch.cat([x, y.unsqueeze(1)], 1)"]),
    ("torch.stack([x, y])", "torch.stack", (["f32[2, 3]", "f32[4, 3]"],), ["torch.cat([x, y])"]),
    ("x.view(2, 512)", "torch.Tensor.view", ("f32[2, 8, 4, 4]", 2, 512), ["x.view(2, -1)", "x.flatten(1)"]),
    ("x.view((2, 3, 5))", "torch.Tensor.view", ("f32[2, 12]", (2, 3, 5)), ["x.view((2, 3, -1))"]),
    ("x.t().view(6)", "torch.Tensor.view", ("f32[3, 2]", 6), ["x.t().reshape(6)"]),
    ("(x + y).view(6)", "torch.Tensor.view", ("f32[3, 2]", 6), ["(x + y).reshape(6)"]),
    ("x.transpose(2, 3)", "torch.Tensor.transpose", ("f32[2, 3, 4]", 2, 3), ["x.transpose(1, 2)"]),
    ("x.sum(dim=2)", "torch.Tensor.sum", ("f32[2, 3]", {"dim": 2}), ["x.sum(dim=-1)", "x.sum(dim=0)"]),
    ("x.permute(0, 2)", "torch.Tensor.permute", ("f32[2, 3, 4]", 0, 2), ["x.permute(0, 2, 1)"]),
    ("x.permute(0, 2, 3, 1)", "torch.Tensor.permute", ("f32[2, 3, 4]", 0, 2, 3, 1), ["x.permute(1, 2, 0)"]),
    ("x[:, 3]", "torch.Tensor.__getitem__", ("f32[2, 3]", (slice(None), 3)), ["x[:, -1]"]),
    ("x[:, :, 0]", "torch.Tensor.__getitem__", ("f32[2, 3]", (slice(None), slice(None), 0)), ["x[:, 0]"]),
    ("F.cross_entropy(x, y)", "torch.nn.functional.cross_entropy", ("f32[2, 5, 9]", "i64[2, 5]"),
     ["F.cross_entropy(x.transpose(-2, -1), y)"]),
    ("F.cross_entropy(x, y)", "torch.nn.functional.cross_entropy", ("f32[2, 5]", "i64[2, 5]"),
     ["F.cross_entropy(x, y.argmax(1))"]),
    ("F.cross_entropy(x, y)", "torch.nn.functional.cross_entropy", ("f32[2, 5]", "f32[2]"),
     ["F.cross_entropy(x, y.long())"]),
    ("F.binary_cross_entropy(x, y)", "torch.nn.functional.binary_cross_entropy", ("f32[2, 1]", "f32[2]"),
     ["F.binary_cross_entropy(x.squeeze(-1), y)"]),
    ("F.binary_cross_entropy(x, y)", "torch.nn.functional.binary_cross_entropy", ("f32[2]", "i64[2]"),
     ["F.binary_cross_entropy(x, y.float())"]),
    ("x.expand(8, -1)", "torch.Tensor.expand", ("f32[2, 3]", 8, -1), ["x.expand(-1, -1)"]),
    ("x.expand(4, 2, 3)", "torch.Tensor.expand", ("f32[4, 3]", 4, 2, 3), ["x.unsqueeze(1).expand(4, 2, 3)"]),
    ("torch.einsum('bij,bjk->bik', x, y)", "torch.einsum", ("bij,bjk->bik", "f32[2, 3, 4]", "f32[2, 5, 4]"),
     ["torch.einsum('bij,bkj->bik', x, y)"]),
    ("torch.einsum('bnd,bmd->bnm', x, y)", "torch.einsum", ("bnd,bmd->bnm", "f32[2, 64, 50]", "f32[2, 64, 40]"),
     ["torch.einsum('bdn,bdm->bnm', x, y)"]),
    ('einsum("ij,jk->ik", x, y)', "torch.functional.einsum", ("ij,jk->ik", "f32[2, 3, 4]", "f32[2, 4, 5]"),
     ['einsum("...ij,...jk->...ik", x, y)']),
    ("F.scaled_dot_product_attention(x, y, y)", "torch.nn.functional.scaled_dot_product_attention",
     ("f32[2, 4, 8]", "f32[2, 8, 6]", "f32[2, 6, 8]"), ["F.scaled_dot_product_attention(x, y.transpose(-2, -1), y)"]),
    ("F.linear(x, y)", "torch.nn.functional.linear", ("f32[2, 3]", "f32[3, 4]"), ["F.linear(x, y.T)"]),
    ("F.embedding(x, y)", "torch.nn.functional.embedding", ("f32[9, 3]", "i64[4]"),
     ["F.embedding(y, x)", "F.embedding(x.long(), y)"]),
    ("x @ y", "torch.Tensor.matmul", ("i64[2, 3]", "f32[3, 2]"), ["x.float() @ y", "x.to(y.dtype) @ y"]),
    ("F.max_pool2d(x, 2)", "torch.nn.functional.max_pool2d", ("f32[8, 8]", 2),
     ["F.max_pool2d(x[None, None], 2)"]),
    ("x @ y", "torch.Tensor.matmul", ("f32[]", "f32[2, 2]"), ["x * y"]),
    ("torch.mm(x, y)", "torch.mm", ("f32[2, 3, 4]", "f32[2, 4, 3]"), ["torch.matmul(x, y)"]),
    ("x < y", "torch.Tensor.lt", ("f32[2, 9]", "i64[2]"), ["x < y.unsqueeze(-1)"]),
    ("x + y", "torch.Tensor.add", ("f32[5, 9]", "f32[3, 3]"), ["x + y.flatten()"]),
    ("x + self.pos[:9]", "torch.Tensor.add", ("f32[2, 9, 4]", "f32[1, 16, 4]"), ["x + self.pos[:, :9]"]),
    ("x - torch.eye(7)", "torch.Tensor.sub", ("f32[2, 3, 3]", "f32[7, 7]"), ["x - torch.eye(x.size(-1))"]),
    ("F.binary_cross_entropy(x, torch.ones(2, 1))", "torch.nn.functional.binary_cross_entropy",
     ("f32[2, 5]", "f32[2, 1]"), ["F.binary_cross_entropy(x, torch.ones_like(x))"]),
    ("torch.einsum('ij,jk,kl->il', x, y, z)", "torch.einsum",
     ("ij,jk,kl->il", "f32[2, 2]", "f32[2, 2]", "f64[2, 2]"), ["torch.einsum('ij,jk,kl->il', x, y, z.float())"]),
    ("F.one_hot(x, 4)", "torch.nn.functional.one_hot", ("f32[2]", 4), ["F.one_hot(x.long(), 4)"]),
    ('rearrange(x, "b 1 c -> c b")', "rearrange", ("f32[2, 8]", "b 1 c -> c b"), ['rearrange(x, "b c -> c b")']),
    ("rearrange(x, 'b 1 c -> b c')", "rearrange", ("f32[2, 8, 1]", "b 1 c -> b c"),
     ["rearrange(x.transpose(-2, -1), 'b 1 c -> b c')"]),
    ("repeat(x, 'h w -> h (w n)', n=2)", "repeat", ("f32[2, 8, 8]", "h w -> h (w n)", {"n": 2}),
     ["repeat(x, '... h w -> ... h (w n)', n=2)"]),
    ("torch.matmul(x, y)", "matmul", ("f32[2, 8]", ["f32[8, 2]", "i64[2]"]), ["torch.matmul(x, y[0])"]),
    ("x[0, :, 0::2]", "torch.Tensor.__setitem__",
     ("f32[8, 1, 4]", (0, slice(None), slice(0, None, 2)), "f32[8, 2]"), ["x[:, 0, 0::2]"]),
    ("x.mean", "attribute", (["f32[8, 2]", "i64[2]"], "mean"), ["x[0].mean"]),
]  # fmt: skip


@pytest.mark.parametrize(("failing", "target", "arguments", "first"), FUNCTIONS, ids=lambda one: str(one)[:40])
def test_functions(failing: str, target: str, arguments: tuple[Any, ...], first: list[str]) -> None:
    found = of_function(failing, target, *arguments)
    assert found[: len(first)] == first
    assert bool(found) == bool(first) or not first


LAYERS = [
    ("nn.Linear(512, classes)", "self.layer(x)", ("f32[2, 16]",), {"in_features": 512, "out_features": 2},
     ["nn.Linear(16, classes)"]),
    ("nn.Linear(in_features=dim, out_features=8)", "self.layer(x)", ("f32[2, 8]",),
     {"in_features": 4, "out_features": 8}, ["nn.Linear(in_features=inner, out_features=8)"]),
    ("nn.Linear(16, 8)", "self.layer(x + y)", ("f32[2, 4, 4]",), {"in_features": 16, "out_features": 8},
     ["self.layer((x + y).flatten(1))"]),
    ("nn.Linear(9, 8)", "self.layer(x)", ("f32[2, 9, 4]",), {"in_features": 9, "out_features": 8},
     ["self.layer(x.transpose(-2, -1))"]),
    ("nn.Sequential(nn.Linear(dim, inner))", "self.layer(x)", ("f32[2, 9]",), {"in_features": 4}, []),
    ("nn.Conv2d(3, 8, 3)", "self.layer(x)", ("f32[2, 9, 9, 3]",), {"in_channels": 3, "out_channels": 8, "groups": 1},
     ["self.layer(x.movedim(-1, 1))"]),
    ("nn.Conv2d(1, 8, 3)", "self.layer(x)", ("f32[2, 9, 9]",), {"in_channels": 1, "out_channels": 8, "groups": 1},
     ["self.layer(x.unsqueeze(1))"]),
    ("nn.Conv2d(4, 4, 3, groups=4)", "self.layer(x)", ("f32[2, 8, 9, 9]",),
     {"in_channels": 4, "out_channels": 4, "groups": 4}, ["nn.Conv2d(8, 8, 3, groups=8)"]),
    ("nn.Conv1d(4, 8, 3)", "self.layer(x)", ("f32[2, 1, 4, 9]",), {"in_channels": 4},
     ["self.layer(x.squeeze(1))", "self.layer(x.flatten(0, 1))"]),
    ("nn.BatchNorm2d(4)", "self.layer(x)", ("f32[2, 8, 9, 9]",), {"num_features": 4}, ["nn.BatchNorm2d(8)"]),
    ("nn.LayerNorm((3, 4))", "self.layer(x)", ("f32[2, 3, 8]",), {"normalized_shape": (3, 4)},
     ["nn.LayerNorm((3, 8))"]),
    ("nn.GroupNorm(8, 32)", "self.layer(x)", ("f32[2, 20, 8]",), {"num_groups": 8, "num_channels": 32},
     ["nn.GroupNorm(8, 20)", "nn.GroupNorm(5, 20)"]),
    ("nn.LSTM(4, 8)", "self.layer(x)", ("f32[2, 3, 6]",), {"input_size": 4}, ["nn.LSTM(6, 8)"]),
    ("nn.Embedding(10, 4)", "self.layer(x)", ("f32[2, 3]",), {"num_embeddings": 10}, ["self.layer(x.long())"]),
    ("nn.MultiheadAttention(8, 2)", "self.layer(x, y, y)", ("f32[2, 3, 8]", "f32[2, 3, 6]", "f32[2, 3, 6]"),
     {"embed_dim": 8, "kdim": 8, "vdim": 8, "num_heads": 2}, ["nn.MultiheadAttention(8, 2, kdim=6, vdim=6)"]),
    ("nn.MultiheadAttention(8, 2)", "self.layer(x, x, x)", ("f32[2, 3, 6]",) * 3,
     {"embed_dim": 8, "kdim": 8, "vdim": 8, "num_heads": 2}, ["nn.MultiheadAttention(6, 2)"]),
    ("nn.Softmax(dim=2)", "self.layer(x)", ("f32[2, 3]",), {"dim": 2}, ["nn.Softmax(dim=-1)"]),
    ("nn.LayerNorm(8)", "self.layer(x)", (["f32[2, 3, 8]", "f32[1, 2, 8]"],), {"normalized_shape": (8,)},
     ["self.layer(x[0])"]),
    ("nn.GRU(8, 4, 2)", "self.layer(x, torch.zeros(1, 2, 4))", ("f32[5, 2, 8]", "f32[1, 2, 4]"),
     {"input_size": 8, "hidden_size": 4, "num_layers": 2}, ["self.layer(x, torch.zeros(2, 2, 4))"]),
    ("nn.Transformer(d_model=8)", "self.layer(x, y)", ("f32[2, 5, 8]", "f32[2, 4, 8]"),
     {"d_model": 8, "batch_first": False}, ["nn.Transformer(d_model=8, batch_first=True)"]),
    ("nn.Linear(2, 16)", "self.layer(x)", ("f32[2, 16]",), {"in_features": 2, "out_features": 16},
     ["nn.Linear(16, 16)", "nn.Linear(16, 2)"]),
    ("nn.Linear(8, 2)", "self.layer(torch.cat([x, y]))", ("f32[6, 4]",), {"in_features": 8, "out_features": 2},
     ["nn.Linear(4, 2)", "self.layer(torch.cat([x, y], dim=-1))"]),
    ("nn.Conv2d(8, 2, 3)", "self.layer(torch.cat([x, y], 0))", ("f32[6, 4, 9, 9]",),
     {"in_channels": 8, "out_channels": 2, "groups": 1},
     ["nn.Conv2d(4, 2, 3)", "self.layer(torch.cat([x, y], 1))"]),
    ("nn.BatchNorm2d(8)", "self.layer(x)", ("f32[2, 8, 9]",), {"num_features": 8},
     ["self.layer(x.unsqueeze(2))", "self.layer(x.unsqueeze(-1))", "nn.BatchNorm1d(8)"]),
]  # fmt: skip


@pytest.mark.parametrize(("built", "failing", "arguments", "settings", "first"), LAYERS, ids=lambda one: str(one)[:40])
def test_layers(
    built: str, failing: str, arguments: tuple[Any, ...], settings: dict[str, Any], first: list[str]
) -> None:
    found = of_layer(built, failing, *arguments, **settings)
    assert found[: len(first)] == first
    assert bool(found) == bool(first)


def test_names_with_a_known_value_come_before_the_number() -> None:
    found = of_layer("nn.Linear(dim, inner)", "self.layer(x)", "f32[2, 8]", in_features=4, out_features=8)
    assert found == [
        "nn.Linear(inner, inner)",
        "nn.Linear(classes, inner)",
        "nn.Linear(inner, dim)",
        "nn.Linear(2 * dim, inner)",
        "nn.Linear(8, inner)",
    ]


def test_a_name_that_is_used_again_may_be_bound_anew() -> None:
    text = "def f(x, w):\n    a = x @ w\n    return a + x\n"
    failure = Failure("trace", "", place(text, "x @ w"), operation=attempt("torch.matmul", ("f32[2, 3]", "f32[2, 4]")))
    assert edited(failure, text)[:2] == ["a = x.transpose(-2, -1) @ w", "x = x.transpose(-2, -1)"]


def test_the_layer_may_be_made_elsewhere_for_what_it_is_given() -> None:
    blocks = "class Block(nn.Module):\n    def __init__(self, width):\n        self.fc = nn.Linear(width, 4)\n" \
        "    def forward(self, x):\n        return self.fc(x)\n"  # fmt: skip
    net = "class Net(nn.Module):\n    def __init__(self):\n        self.a = Block(9)\n        self.b = Block(8)\n" \
        "    def forward(self, x):\n        return self.b(self.a(x))\n"  # fmt: skip
    layer = attempt("Linear", ("f32[2, 4]",), "self.fc", in_features=8, out_features=4)
    layer = Attempt("Linear", layer.arguments, "self.fc", layer.settings, place(blocks, "nn.Linear(width, 4)", "/b.py"))
    call = place(net, "self.b(self.a(x))", "/n.py")
    failure = Failure("trace", "no", place(blocks, "self.fc(x)", "/b.py"), (call,), layer=layer)
    texts = {"/b.py": blocks, "/n.py": net}
    found = [(one.path, applied(texts[one.path], one.changes)) for one in proposals(failure, texts.get)]
    assert found[:2] == [
        ("/b.py", blocks.replace("(width, 4)", "(width // 2, 4)")),
        ("/n.py", net.replace("Block(8)", "Block(4)")),
    ]
    assert ("/b.py", blocks.replace("(width, 4)", "(4, 4)")) in found


def test_what_a_loop_binds_anew_is_changed_before_it() -> None:
    text = "class Net(nn.Module):\n    def forward(self, x):\n        for stage in self.stages:\n" \
        "            x = stage(x)\n        return x\n\nclass Stage(nn.Module):\n    def __init__(self):\n" \
        "        self.conv = nn.Conv1d(1, 8, 3)\n    def forward(self, y):\n        return self.conv(y)\n"  # fmt: skip
    layer = attempt("Conv1d", ("f32[4, 99]",), "self.conv", in_channels=1, out_channels=8, groups=1)
    layer = Attempt("Conv1d", layer.arguments, "self.conv", layer.settings, place(text, "nn.Conv1d(1, 8, 3)"))
    failure = Failure("trace", "no", place(text, "self.conv(y)"), (place(text, "stage(x)"),), layer=layer)
    assert "x = x.unsqueeze(1)" in edited(failure, text)


def test_sizes_that_are_passed_may_be_swapped() -> None:
    text = "class Gate(nn.Module):\n    def __init__(self, one, two):\n        self.conv = nn.Conv2d(one, 4, 1)\n" \
        "    def forward(self, x, y):\n        return self.conv(x)\n\nclass Net(nn.Module):\n" \
        "    def __init__(self, wide, thin):\n        self.gate = Gate(thin, wide)\n" \
        "    def forward(self, x, y):\n        return self.gate(x, y)\n"  # fmt: skip
    layer = attempt("Conv2d", ("f32[4, 8, 9, 9]",), "self.conv", in_channels=2, out_channels=4, groups=1)
    layer = Attempt("Conv2d", layer.arguments, "self.conv", layer.settings, place(text, "nn.Conv2d(one, 4, 1)"))
    failure = Failure("trace", "no", place(text, "self.conv(x)"), (place(text, "self.gate(x, y)"),), layer=layer)
    assert "self.gate = Gate(wide, thin)" in edited(failure, text)


PRODUCED = """import torch.nn.functional as F

conv1x1 = partial(nn.Conv2d, kernel_size=1)

class Act(nn.Module):
    def __init__(self, dim, out):
        self.fc = nn.Linear(dim, out)
    def forward(self, x):
        return F.relu(self.fc(x))

class Net(nn.Module):
    def __init__(self, dim, inner):
        self.w1 = nn.Linear(dim, 2 * inner)
        self.w3 = nn.Linear(dim, inner)
        self.w2 = nn.Linear(inner, dim)
        self.conv = conv1x1(dim, dim // 2)
        self.down = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.BatchNorm2d(inner))
        self.table = nn.ModuleDict(dict(wte=nn.Embedding(9, dim)))
        self.act = Act(dim, 24)
        self.scale = nn.Parameter(torch.ones(1, 7))
        self.blocks = nn.ModuleList([nn.Linear(dim, 5)])
        self.relu = nn.ReLU()
        self.up = nn.Conv2d(3, 16, 3)
        self.back = nn.ConvTranspose2d(3, 16, 3, stride=2)

    def forward(self, x, y):
        gate = F.silu(self.w1(x))
        h = self.conv(x)
        h = self.relu(h)
        for block in self.blocks:
            x = block(x)
        z = {failing}
        return z
"""
"""Calls whose operands were made in the wrong size."""

MADE = [
    ("gate * self.w3(x)", "torch.mul", ("f32[2, 64]", "f32[2, 32]"),
     ["self.w1 = nn.Linear(dim, inner)", "self.w3 = nn.Linear(dim, 2 * inner)"]),
    ("y + h", "torch.add", ("f32[2, 8, 4, 4]", "f32[2, 4, 4, 4]"),
     ["self.conv = conv1x1(dim, dim)", "self.conv = conv1x1(dim, inner)"]),
    ("torch.cat([self.table.wte(y), y], 1)", "torch.cat", (["f32[2, 3, 8]", "f32[2, 3, 9]"], 1),
     ["self.table = nn.ModuleDict(dict(wte=nn.Embedding(9, 9)))"]),
    ("y - self.act(gate)", "torch.sub", ("f32[2, 8]", "f32[2, 24]"), ["self.act = Act(dim, 8)"]),
    ("y * self.scale", "torch.mul", ("f32[2, 8]", "f32[1, 7]"), ["self.scale = nn.Parameter(torch.ones(1, 8))"]),
    ("x @ y", "torch.matmul", ("f32[2, 5]", "f32[6, 3]"), ["self.blocks = nn.ModuleList([nn.Linear(dim, 6)])"]),
    ("F.binary_cross_entropy(x, y)", "torch.nn.functional.binary_cross_entropy", ("f32[2, 5]", "f32[2, 3]"),
     ["self.blocks = nn.ModuleList([nn.Linear(dim, 3)])"]),
    ("y + self.up(x)", "torch.add", ("f32[2, 16, 9, 9]", "f32[2, 16, 7, 7]"),
     ["self.up = nn.Conv2d(3, 16, 3, padding=1)", "self.up = nn.Conv2d(3, 16, 1)"]),
    ("y + self.up(x)", "torch.add", ("f32[2, 16, 8, 8]", "f32[2, 16, 16, 16]"),
     ["self.up = nn.Conv2d(3, 16, 3, stride=2)"]),
    ("torch.cat([y, self.back(x)], 1)", "torch.cat", (["f32[2, 16, 8, 8]", "f32[2, 16, 9, 9]"], 1),
     ["self.back = nn.ConvTranspose2d(3, 16, 2, stride=2)"]),
]  # fmt: skip


@pytest.mark.parametrize(("failing", "target", "arguments", "wanted"), MADE, ids=lambda one: str(one)[:40])
def test_the_layer_that_made_an_operand(
    failing: str, target: str, arguments: tuple[Any, ...], wanted: list[str]
) -> None:
    text = PRODUCED.format(failing=failing)
    failure = Failure("trace", "no", place(text, failing), operation=attempt(target, arguments))
    found = edited(failure, text)
    assert not [one for one in wanted if one not in found]


@pytest.mark.parametrize(
    ("built", "part", "called", "failing", "shape", "settings", "wanted"),
    [
        ("nn.BatchNorm2d(inner)", "nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.BatchNorm2d(inner))",
         "self.down[2]", "self.down(y)", "f32[2, 16, 9, 9]", {"num_features": 32}, "nn.Conv2d(3, 32, 3)"),
        ("nn.Linear(inner, dim)", "nn.Linear(inner, dim)", "self.w2", "self.w2(gate)", "f32[2, 64]",
         {"in_features": 32, "out_features": 8}, "self.w1 = nn.Linear(dim, inner)"),
    ],
)  # fmt: skip
def test_the_layer_before(
    built: str, part: str, called: str, failing: str, shape: str, settings: dict[str, Any], wanted: str
) -> None:
    text = PRODUCED.format(failing=failing)
    layer = attempt(built.partition("(")[0].removeprefix("nn."), (shape,), called, **settings)
    layer = Attempt(layer.target, layer.arguments, called, layer.settings, place(text, part))
    found = edited(Failure("trace", "no", place(text, failing), layer=layer, operation=None), text)
    assert any(wanted in one for one in found)
    assert any(built not in one for one in found), "the layer itself comes too"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_not_changed_stays_byte_for_byte(end: str) -> None:
    text = f"def f(x, w):{end}    é = '…', ( x   # ü{end}    ) @ w ; g(  x){end}\treturn é".replace(
        "\treturn", "    return"
    )
    expression = f"( x   # ü{end}    ) @ w"
    lines = [place(text, expression), attempt("torch.matmul", ("f32[2, 3]", "f32[2, 4]"))]
    failure = Failure("trace", "no", lines[0], operation=lines[1])
    found = proposals(failure, {PATH: text}.get)
    assert applied(text, found[0].changes) == text.replace("( x   #", "( x.transpose(-2, -1)   #")


def test_nothing_is_proposed_for_what_is_not_known_or_not_there() -> None:
    operation = attempt("torch.matmul", ("f32[2, 3]", "f32[2, 4]"))
    text = "y = x @ w\n"
    for span in (None, Span(PATH, 1, 4, 1, 6), Span(PATH, 9, 0, 9, 3), Span("/else.py", 1, 4, 1, 9)):
        assert proposals(Failure("trace", "no", span, operation=operation), {PATH: text}.get) == ()
    for broken in ("y = x @ (\n", ""):
        assert proposals(Failure("trace", "no", Span(PATH, 1, 4, 1, 9), operation=operation), {PATH: broken}.get) == ()
    fitting = attempt("torch.matmul", ("f32[2, 3]", "f32[3, 4]"))
    assert proposals(Failure("trace", "no", Span(PATH, 1, 4, 1, 9), operation=fitting), {PATH: text}.get) == ()


WARNINGS = [
    ("softmax-without-dim", "F.softmax(x)", "torch.nn.functional.softmax f32[2, 3] -> f32[2, 3]",
     ["y = F.softmax(x, dim=-1)"]),
    ("dropout-always", "F.dropout(x, 0.1)", "torch.nn.functional.dropout f32[2, 3] -> f32[2, 3]",
     ["y = F.dropout(x, 0.1, training=self.training)"]),
    ("loss-broadcast", "F.mse_loss(x, t)", "torch.nn.functional.mse_loss f32[8, 1]; f32[8] -> f32[]",
     ["y = F.mse_loss(x.squeeze(-1), t)", "y = F.mse_loss(x, t.unsqueeze(-1))"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "call", "operation", "wanted"), WARNINGS)
def test_warnings(rule: str, call: str, operation: str, wanted: list[str]) -> None:
    source = (
        f"class Net:\n    def forward(self, x, t):\n        y = {call}\n#           {'^' * len(call)} op {operation}"
    )
    assert _advised(source, rule) == wanted


@pytest.mark.parametrize(
    ("made", "rule", "wanted"),
    [
        ("nn.Softmax()", "softmax-without-dim", "nn.Softmax(dim=-1)"),
        ("nn.LogSoftmax(  )", "softmax-without-dim", "nn.LogSoftmax(  dim=-1)"),
        ("nn.Softmax(0)", "softmax-over-batch", "nn.Softmax(-1)"),
        ("nn.LogSoftmax(dim=0)", "softmax-over-batch", "nn.LogSoftmax(dim=1)"),
        ("nn.Softmax(dim=None)", "softmax-without-dim", "nn.Softmax(dim=-1)"),
        ("nn.Softmax(None)", "softmax-without-dim", "nn.Softmax(-1)"),
    ],
)
def test_a_layer_is_told_where_it_is_made(made: str, rule: str, wanted: str) -> None:
    shown = _with_layer(made, made.partition("(")[0][3:])
    (edit,) = for_warning(Problem(place(shown.text, "self.soft(x)"), "warning", rule, ""), shown)
    assert applied(shown.text, edit.changes) == shown.text.replace(made, wanted)


@pytest.mark.parametrize("made", ['activation("softmax")', "nn.Sequential(nn.Softmax())", "Wrap(nn.Softmax(dim=0))"])
@pytest.mark.parametrize("rule", ["softmax-without-dim", "softmax-over-batch"])
def test_what_makes_a_softmax_for_others_stays(made: str, rule: str) -> None:
    shown = _with_layer(made, "Softmax")
    assert for_warning(Problem(place(shown.text, "self.soft(x)"), "warning", rule, ""), shown) == ()


def test_a_result_is_kept() -> None:
    source = """
    def f(x):
        x.relu()
    #   ^ bind f32[2]
    #   ^^^^^^^^ op torch.Tensor.relu f32[2] -> f32[2]
    """
    assert _advised(source, "result-unused") == ["x = x.relu()"]


@pytest.mark.parametrize("softmax", ["F.softmax(h, dim=-1)", "h.softmax(-1)", "torch.softmax(h, 1)"])
def test_the_first_softmax_is_removed(softmax: str) -> None:
    target = {"F": "torch.nn.functional.softmax", "h": "torch.Tensor.softmax"}.get(softmax[0], "torch.softmax")
    source = f"""
    def f(h, t):
        p = {softmax}
    #       {"^" * len(softmax)} op {target} f32[2, 3] -> f32[2, 3]
        return F.cross_entropy(p, t)
    #          ^^^^^^^^^^^^^^^^^^^^^ op torch.nn.functional.cross_entropy f32[2, 3]; i64[2] -> f32[]
    """
    assert _advised(source, "softmax-before-cross-entropy") == ["p = h"]
    assert (
        _advised(source.replace("F.cross_entropy(p, t)", "F.cross_entropy(p, t), p"), "softmax-before-cross-entropy")
        == []
    )


def _with_layer(made: str, target: str) -> Snapshot:
    return snapshot(f"""
    class Net(nn.Module):
        def __init__(self):
            self.soft = {made}
        def forward(self, x):
            return self.soft(x)
    #              ^^^^^^^^^^^^ mod {target} f32[2, 3] -> f32[2, 3]
    """)


def _advised(source: str, rule: str) -> list[str]:
    made = snapshot(source)
    (problem,) = [one for one in all_problems(made) if one.code == rule]
    found = []
    for edit in for_warning(problem, made):
        lines = applied(made.text, edit.changes).splitlines()
        found += [line.strip() for line, old in zip(lines, made.text.splitlines(), strict=True) if line != old]
    return found


TEXT = MODEL.format(built="nn.Sequential(nn.Linear(dim, 2), nn.Conv2d(2, 2, 2))", failing="torch.cat([x, y], 1)")
SPANS = st.sampled_from(
    [place(TEXT, part) for part in ("torch.cat([x, y], 1)", "x, y", "nn.Linear(dim, 2)", "z", "nn.Sequential", "2")]
) | st.builds(Span, st.sampled_from([PATH, "/no"]), *[st.integers(-1, 12)] * 4)
CALLED = st.sampled_from(["", "torch.cat", "self.layer[0]"])
ATTEMPT = st.builds(Attempt, st.sampled_from(TARGETS), ARGUMENTS, CALLED, ARGUMENTS, st.none() | SPANS)


@settings(deadline=None)
@given(
    st.builds(
        Failure,
        st.just("trace"),
        st.just("no"),
        st.none() | SPANS,
        st.lists(SPANS, max_size=2).map(tuple),
        operation=st.none() | ATTEMPT,
        layer=st.none() | ATTEMPT,
    ),
    st.sampled_from([TEXT, TEXT[:-30], "", "x, y = torch.cat([x, y], 1)"]),
)
def test_no_mend_fails_on_what_makes_no_sense(failure: Failure, text: str) -> None:
    found = proposals(failure, {PATH: text}.get)
    assert len(found) <= MAX_PROPOSALS
    texts = [applied(text, edit.changes) for edit in found]
    assert len(set(texts)) == len(texts)
    assert all(ast.parse(one) and one != text for one in texts)
    assert all(edit.title and "None" not in edit.title.replace("[None", "").replace(", None", "") for edit in found)


@pytest.mark.parametrize("families", [2, 30])
def test_names_come_after_sizes_and_have_their_place(families: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def family(name: str, **kind: bool) -> mends.Mend:
        edits = [Edit(f"{name}{number}", PATH, ((place(TEXT, "dim, 2"), f"{name}{number}, 2"),)) for number in range(3)]
        return mends.Mend(frozenset({"cat-sizes"}), lambda _: edits, **kind)

    found = {f"s{number}": family(f"s{number}_") for number in range(families)}
    found |= {"names": family("names", beside=True), "sure": family("sure", sure=True)}
    monkeypatch.setattr(mends, "collect", lambda *_: found)
    monkeypatch.setattr(mends, "mends", mends.mends.__wrapped__)
    failing = attempt("torch.cat", (["f32[2, 3]", "f32[3, 3]"], 1))
    failure = Failure("trace", "no", place(TEXT, "torch.cat([x, y], 1)"), operation=failing)
    titles = [edit.title for edit in proposals(failure, {PATH: TEXT}.get)]
    assert titles[:4] == ["sure0", "sure1", "s0_0", "s0_1"]
    place_of = titles.index("names0")
    assert place_of == min(2 + 2 * families, SOON - 1)
    assert ("names1" in titles[:SOON]) is (families < 3)
    assert len(titles) == min(3 * (families + 2), MAX_PROPOSALS)


def test_mends_name_causes_and_rules_that_there_are() -> None:
    known = {cause.id for cause in causes()} | {rule.id for rule in rules()}
    for name, mend in collect(mends, "MEND").items():
        assert mend.causes <= known, name
    mended = {cause for mend in mends.mends() for cause in mend.causes}
    assert {cause.id for cause in causes()} - mended <= {"conv-kernel"}
