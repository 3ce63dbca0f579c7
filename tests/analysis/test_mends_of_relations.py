"""Mends that keep what sizes are to each other: written as beside them, asked of another tensor, one step more."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group
from tests.analysis.facts import tensor
from tests.analysis.test_mends import attempt, edited, of_function, place

NET = """import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CLASSES, WORDS = 5, 9

class Rows:
    def __init__(self, rng):
        self.rows = rng.normal(size=(8, 3))

class Block(nn.Module):
    def __init__(self, width, planes):
        super().__init__()
        self.conv = nn.Conv2d(width, planes, 3)

    def forward(self, x):
        return self.conv(x)

class Net(nn.Module):
    def __init__(self, cfg, dim, hidden, widths, kernel=24):
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)
        self.both = nn.GRU(dim, hidden, bidirectional=True)
        self.out = nn.Linear(hidden,  dim)
        self.edges = torch.linspace(0, 1, dim)
        self.pool = nn.AvgPool1d(kernel, stride=1)
        self.maps = nn.Conv2d(1, 32, 3, stride=2)
        self.flat = nn.Linear(640, dim)
        self.angles = angles(cfg.dim, cfg.length)
        self.heads, self.parts = cfg.head_dim, cfg.dim
        self.layer1 = self.grown(8)
        self.layer2 = self.grown(16)

    def grown(self, planes):
        block = Block(self.width, planes)
        last = nn.Conv2d(planes, planes * Block.more, 1)
        self.width = planes
        return nn.Sequential(block, last)

    def forward(self, x, lengths, cos, sin, mel, z):
        a, b = self.up(x).chunk(2, dim=-1)
        c = self.down(a * b)
        d, _ = self.both(x)
        e = self.out(d)
        low = self.edges[:-1]
        f = x - low
        g = x - self.pool(x)
        h = self.flat(self.maps(z).flatten(1))
        i = x * self.angles
        mask = torch.arange(mel.size(1)) >= lengths
        j = x.masked_fill(mask, 0)
        even, odd = x[0], x[1]
        k = even * cos - odd * sin
        m = even * sin + odd * cos
        return self.layer2(self.layer1(k))

def rows(loader, net):
    for row in loader:
        net(row)

def losses(logits, target):
    weight = torch.ones(WORDS)
    return F.cross_entropy(logits, target, weight=weight)

def listed(logits, target, weight):
    return F.cross_entropy(logits, target, weight)

def steps(model, batch):
    inputs, wanted = batch, batch[:, 1:]
    scores, _ = model(inputs)
    return F.cross_entropy(scores.reshape(-1, 9), wanted.reshape(-1))

def main():
    listed(one, two, torch.tensor([0.2, 1.0]))
"""


def _of(failing: str, target: str, *arguments: Any, calls: tuple[Span, ...] = ()) -> list[str]:
    operation = attempt(target, arguments)
    return edited(Failure("trace", "no", place(NET, failing), operation=operation, calls=calls), NET)


def _of_layer(
    built: str, failing: str, target: str, *arguments: Any, calls: tuple[Span, ...] = (), **settings: Any
) -> list[str]:
    layer = attempt(target, arguments, failing.partition("(")[0], **settings)
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, place(NET, built))
    return edited(Failure("trace", "no", place(NET, failing), layer=layer, calls=calls), NET)


@pytest.mark.parametrize(
    ("built", "failing", "size", "wanted"),
    [
        ("nn.Linear(hidden, dim)", "self.down(a * b)", 8, "self.down = nn.Linear(hidden // 2, dim)"),
        ("nn.Linear(hidden,  dim)", "self.out(d)", 32, "self.out = nn.Linear(2 * hidden,  dim)"),
    ],
)
def test_a_size_is_written_as_the_layer_before_writes_it(built: str, failing: str, size: int, wanted: str) -> None:
    # Where `dim` is by chance as large, it is not what is meant.
    found = _of_layer(built, failing, "Linear", f"f32[4, 5, {size}]", in_features=16, out_features=size)
    assert found[0] == wanted


def test_one_step_more_of_what_a_part_is_taken_of() -> None:
    found = _of("x - low", "torch.Tensor.sub", "f32[2, 8]", "f32[7]")
    assert "self.edges = torch.linspace(0, 1, dim + 1)" in found


def test_a_pooling_window_that_leaves_as_many_places() -> None:
    found = _of("x - self.pool(x)", "torch.Tensor.sub", "f32[2, 96]", "f32[2, 95]")
    assert any("kernel=23" in one for one in found)
    assert any("kernel=25" in one for one in found)


def test_a_padding_by_which_a_linear_layer_gets_its_features() -> None:
    layer = "nn.Linear(640, dim)"
    found = _of_layer(layer, "self.flat(self.maps(z).flatten(1))", "Linear", "f32[2, 608]", in_features=640)
    assert "self.maps = nn.Conv2d(1, 32, 3, stride=2, padding=1)" in found


def test_another_field_of_a_configuration_that_is_called_alike() -> None:
    found = _of("x * self.angles", "torch.Tensor.mul", "f32[2, 8]", "f32[48]")
    assert "self.angles = angles(cfg.head_dim, cfg.length)" in found


def test_the_size_of_another_tensor() -> None:
    found = _of("x.masked_fill(mask, 0)", "torch.Tensor.masked_fill", "f32[3, 50]", "b8[3, 200]", 0)
    assert "mask = torch.arange(x.size(1)) >= lengths" in found


def test_parameters_that_the_same_expressions_meet_are_cut_together() -> None:
    found = _of("even * cos", "torch.Tensor.mul", "f32[1, 6, 5, 8]", "f32[64, 8]")
    assert "cos, sin = cos[:even.size(2)], sin[:even.size(2)]" in found


def test_a_width_that_is_kept_is_that_of_the_last_layer() -> None:
    calls = place(NET, "self.layer2(self.layer1(k))"), place(NET, "Block(self.width, planes)")
    found = _of_layer("nn.Conv2d(width, planes, 3)", "self.conv(x)", "Conv2d", "f32[2, 32, 8, 8]", calls=calls,
                      in_channels=8, out_channels=16)  # fmt: skip
    assert "self.width = planes * Block.more" in found


@pytest.mark.parametrize(
    ("failing", "count", "calls", "wanted"),
    [
        ("F.cross_entropy(logits, target, weight=weight)", 9, (), "weight = torch.ones(CLASSES)"),
        ("F.cross_entropy(logits, target, weight)", 2, ("listed(one, two, torch.tensor([0.2, 1.0]))",),
         "listed(one, two, torch.tensor([0.2, 1.0, 1.0, 1.0, 1.0]))"),
    ],
)  # fmt: skip
def test_as_many_weights_as_classes(failing: str, count: int, calls: tuple[str, ...], wanted: str) -> None:
    weight = f"f32[{count}]"
    given = ("f32[4, 5]", "i64[4]", {"weight": weight}) if "weight=" in failing else ("f32[4, 5]", "i64[4]", weight)
    led = tuple(place(NET, one) for one in calls)
    assert wanted in _of(failing, "torch.nn.functional.cross_entropy", *given, calls=led)


def test_one_of_several_names_has_its_own_value() -> None:
    found = _of("F.cross_entropy(scores.reshape(-1, 9), wanted.reshape(-1))", "torch.nn.functional.cross_entropy",
                "f32[132, 9]", "i64[128]")  # fmt: skip
    assert "return F.cross_entropy(scores[:, :-1].reshape(-1, 9), wanted.reshape(-1))" in found


def test_random_numbers_of_a_data_set_are_made_floats() -> None:
    calls = (place(NET, "net(row)"),)
    text = NET.replace("for row in loader", "for row in Rows(loader)")
    layer = attempt("Linear", ("f64[2, 3]",), "self.up", in_features=3, out_features=4)
    linear = attempt("torch.nn.functional.linear", ("f64[2, 3]", "f32[4, 3]"))
    found = edited(Failure("trace", "no", place(text, "self.up(x)"), operation=linear, layer=layer, calls=calls), text)
    assert "self.rows = rng.normal(size=(8, 3)).astype(np.float32)" in found


FUNCTIONS = [
    ("F.interpolate(x, size=y.shape[2:])", "torch.nn.functional.interpolate",
     ("f32[2, 8, 8, 8]", {"size": (4, 4, 4)}), "F.interpolate(x.unsqueeze(1), size=y.shape[2:])"),
    ("F.ctc_loss(x, y, n, m)", "torch.nn.functional.ctc_loss",
     ("f32[3, 50, 29]", "i64[3, 20]", "i64[3]", "i64[3]"), "F.ctc_loss(x.transpose(0, 1), y, n, m)"),
    ("x[..., 1]", "torch.Tensor.__getitem__", ("f32[2, 3, 1]", (..., 1)), "x[..., -1]"),
    ("x.expand(8, -1)", "torch.Tensor.expand", ("f32[2, 3]", 8, -1), "x.expand(8, -1, -1)"),
]  # fmt: skip


@pytest.mark.parametrize(("failing", "target", "arguments", "wanted"), FUNCTIONS, ids=lambda one: str(one)[:30])
def test_functions(failing: str, target: str, arguments: tuple[Any, ...], wanted: str) -> None:
    assert wanted in of_function(failing, target, *arguments)


def test_both_states_of_a_layer_have_a_dim_for_the_layers() -> None:
    state = Group("tuple", (tensor("f32[2, 5]"), tensor("f32[2, 5]")))
    given = (Argument("0", tensor("f32[2, 7, 3]")), Argument("1", state))
    settings = attempt("", (), input_size=3, hidden_size=5, num_layers=1, batch_first=True).settings
    failing = "self.both(x, (h, c))"
    text = NET.replace("self.both(x)", failing)
    layer = Attempt("LSTM", given, "self.both", settings)
    found = edited(Failure("trace", "no", place(text, failing), layer=layer), text)
    assert "d, _ = self.both(x, (h.unsqueeze(0), c.unsqueeze(0)))" in found


def test_a_field_that_has_a_default_and_another_value_where_one_is_made() -> None:
    text = """class Config:
    heads: int = 6
    groups: int = 2

class Net:
    def forward(self, q, k, cfg):
        k = k.repeat_interleave(cfg.heads // cfg.groups, dim=1)
        return q @ k

net = Net(Config(heads=6, groups=4))
"""
    product = attempt("torch.Tensor.__matmul__", ("f32[2, 6, 5, 8]", "f32[2, 4, 8, 5]"))
    found = edited(Failure("trace", "no", place(text, "q @ k"), operation=product), text)
    assert "net = Net(Config(heads=6, groups=3))" in found


def test_what_meets_a_batch_of_one_is_not_expanded() -> None:
    assert "x" in of_function("x.expand(y)", "torch.Tensor.expand", "f32[3, 64, 1, 1]", (1, 64, 16, 16))
    assert "x" not in of_function("x.expand(y)", "torch.Tensor.expand", "f32[3, 64, 1, 1]", (2, 64, 16, 16))


def test_what_is_resized_already_is_resized_once() -> None:
    call = "x + F.interpolate(y, scale_factor=2)"
    found = of_function(call, "torch.Tensor.__add__", "f32[2, 3, 32, 32]", "f32[2, 3, 16, 16]")
    assert found[0] == "x + F.interpolate(y, size=x.shape[2:])"
    assert not any(one.count("interpolate") > 1 for one in found)
