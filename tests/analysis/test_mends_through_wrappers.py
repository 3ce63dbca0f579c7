"""Mends of layers that are reached through what wraps them: a loop over pairs of layers, a class that is passed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fx_lsp.model.failure import Failure
from tests.analysis.test_mends import attempt, edited, place

MODEL = """import torch
from torch import nn
from torch.nn import functional as F
class Normed(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = inner

    def forward(self, x, **named):
        return self.inner(self.norm(x), **named)
class Mix(nn.Module):
    def __init__(self, width, wide):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, wide), nn.GELU(), nn.Linear(wide, wide))

    def forward(self, x):
        return self.net(x)
class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight)
class Gated(nn.Module):
    def __init__(self, width, wide):
        super().__init__()
        self.gate = nn.Linear(width, wide + 1)

    def forward(self, x):
        return self.gate(x)
class Encoder(nn.Module):
    def __init__(self, width, wide, depth, steps):
        super().__init__()
        self.last = Scale(steps)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([Normed(width, Gated(width, wide)), Normed(width, Mix(width, wide))]))

    def forward(self, x):
        for gate, mix in self.layers:
            x = gate(x) + x
            x = x + mix(x)
        return self.last(x)
class Stage(nn.Module):
    def __init__(self, fed, width):
        super().__init__()
        self.fc = nn.Linear(fed, width)

    def forward(self, x):
        return self.fc(x)
class Net(nn.Module):
    def __init__(self, block, width, wide):
        super().__init__()
        self.first = block(width, wide)
        self.rest = self.more(block, width, wide)

    def more(self, stage, width, wide):
        return nn.Sequential(*[stage(width, wide) for _ in range(3)])

    def forward(self, x):
        return self.rest(self.first(x))
net = Net(Stage, 12, 24)
"""


def _function(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(MODEL, one) for one in calls)
    return edited(Failure("trace", "no", place(MODEL, part), spans, operation=attempt(target, arguments)), MODEL)


def test_the_layer_by_which_a_wrapped_class_ends_is_made_for_the_sum_around_it() -> None:
    found = _function("x + mix(x)", "torch.Tensor.add", "f32[2, 5, 12]", "f32[2, 5, 48]")
    assert any("nn.GELU(), nn.Linear(wide, width))" in one for one in found[:4])


def test_of_a_loop_over_pairs_each_variable_is_the_layer_at_its_place() -> None:
    found = _function("gate(x) + x", "torch.Tensor.add", "f32[2, 5, 49]", "f32[2, 5, 12]")
    assert any("self.gate = nn.Linear(width, width)" in one for one in found[:4])
    assert not any("nn.GELU(), nn.Linear(wide, width))" in one for one in found)


def test_a_weight_of_the_class_itself_is_made_for_what_the_class_is_given() -> None:
    arguments = ("f32[2, 5, 12]", (20,), "f32[20]")
    found = _function("F.layer_norm(x, self.weight.shape, self.weight)", "torch.nn.functional.layer_norm", *arguments,
                      calls=("self.last(x)",))  # fmt: skip
    assert "self.last = Scale(width)" in found[:4]


def test_a_class_that_is_passed_is_made_where_the_function_calls_it() -> None:
    layer = attempt("Linear", ("f32[2, 24]",), "self.fc", in_features=12, out_features=24)
    layer = replace(layer, built=place(MODEL, "nn.Linear(fed, width)"))
    failure = Failure(
        "trace", "no", place(MODEL, "self.fc(x)"), (place(MODEL, "self.rest(self.first(x))"),), layer=layer
    )
    assert any("stage(wide, wide) for _" in one for one in edited(failure, MODEL)[:12])


LEFT = """import torch
from torch import nn
from torch.nn import functional as F
class Pool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rate = nn.Linear(width, width)

    def forward(self, x, keep):
        rates = torch.tanh(self.rate(x)).squeeze(-1)
        rates = rates.masked_fill(~keep, 0.0)
        return (x * rates.unsqueeze(-1)).sum(1)
class Heads(nn.Module):
    def forward(self, x, scale):
        h = self.project(x).reshape(self.heads, -1, self.width)
        return h * scale
class Fit(nn.Module):
    def forward(self, x, y):
        h, w = y.shape[-2] - x.shape[-2], y.shape[-1] - x.shape[-1]
        x = F.pad(x, (h // 2, h - h // 2, w // 2, w - w // 2))
        return torch.cat([y, x], dim=1)
class Slide(nn.Module):
    def __init__(self, width, padding):
        super().__init__()
        self.padding = padding
        self.conv = nn.Conv1d(width, width, 5)

    def forward(self, x):
        return self.conv(x)
class Wave(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.slide = Slide(width, (2, 2))

    def forward(self, x):
        return self.slide(x) + x
"""


def _left(part: str, target: str, *arguments: Any) -> list[str]:
    return edited(Failure("trace", "no", place(LEFT, part), operation=attempt(target, arguments)), LEFT)


def test_what_a_squeeze_leaves_is_made_with_one_output() -> None:
    found = _left("rates.masked_fill(~keep, 0.0)", "torch.Tensor.masked_fill", "f32[2, 7, 16]", "b8[2, 7]", 0.0)
    assert "self.rate = nn.Linear(width, 1)" in found[:3]


def test_what_a_view_leaves_open_stands_where_its_neighbour_belongs() -> None:
    found = _left("h * scale", "torch.Tensor.mul", "f32[4, 30, 8]", "f32[1, 4, 8]")
    assert "h = self.project(x).reshape(-1, self.heads, self.width)" in found


def test_a_padding_starts_with_the_last_dim() -> None:
    found = _left("torch.cat([y, x], dim=1)", "torch.cat", ["f32[2, 8, 11, 8]", "f32[2, 8, 10, 9]"], {"dim": 1})
    assert "x = F.pad(x, (w // 2, w - w // 2, h // 2, h - h // 2))" in found


def test_a_padding_that_a_class_is_given_and_never_reads_is_put_before_its_convolution() -> None:
    found = _left("self.slide(x) + x", "torch.Tensor.add", "f32[2, 16, 46]", "f32[2, 16, 50]")
    assert "return self.conv(F.pad(x, self.padding))" in found
