"""Mends of sizes that depend on each other: what the other parts leave, as many as it is split into, a square."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.proposals import mending_of
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.example import Example
from fx_lsp.model.failure import Attempt, Failure
from fx_lsp.model.messages import TraceReply
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import torch
import torch.nn as nn
from einops import rearrange

class Embed(nn.Module):
    def forward(self, x):
        steps = x.unfold(-1, 4, 4)
        return steps.reshape(-1, steps.size(1), 4)

class Net(nn.Module):
    def __init__(self, dim, rate, heads):
        super().__init__()
        self.out = dim
        self.kept = int(dim * rate)
        self.rest = int(dim * rate)
        self.wide = nn.Conv1d(4, dim, 1)
        self.qkv = nn.Conv1d(dim, dim * 2, 1)
        self.embed = Embed()
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, self.out))
        nn.init.eye_(self.head[-1].bias.view(dim, dim))

    def forward(self, x, hn):
        y = self.wide(x)
        a, b = torch.split(y, (self.kept, self.rest), dim=1)
        qkv = self.qkv(x)
        parts = qkv.chunk(3, dim=1)
        q, k, v = map(lambda t: rearrange(t, "b (h d) n -> b h n d", h=8), parts)
        z = self.embed(x)
        _, h = self.rnn(z, hn)
        return h
"""


def _edited(part: str, target: str, *arguments: Any, layer: Attempt | None = None) -> list[str]:
    operation = attempt(target, arguments) if target else None
    return edited(Failure("trace", "no", place(TEXT, part), operation=operation, layer=layer), TEXT)


@pytest.mark.parametrize(
    "line", ["self.rest = dim - self.kept", "a, b = torch.split(y, (self.kept, y.size(1) - self.kept), dim=1)"]
)
def test_a_part_is_what_the_others_leave(line: str) -> None:
    part = "torch.split(y, (self.kept, self.rest), dim=1)"
    assert line in _edited(part, "torch.split", "f32[2, 32, 9]", (8, 8), {"dim": 1})


def test_a_layer_makes_as_many_as_it_is_split_into() -> None:
    part = 'rearrange(t, "b (h d) n -> b h n d", h=8)'
    found = _edited(part, "einops.rearrange", "f32[2, 22, 9]", "b (h d) n -> b h n d", {"h": 8})
    assert "self.qkv = nn.Conv1d(dim, dim * 3, 1)" in found


def test_as_many_parts_as_map_is_unpacked_into() -> None:
    found = _edited("q, k, v", "parts", ["f32[2, 16, 9]", "f32[2, 16, 9]"], 4)
    assert "parts = qkv.chunk(4, dim=1)" in found


def test_a_bias_is_as_long_as_what_its_layer_makes() -> None:
    part = "self.head[-1].bias.view(dim, dim)"
    found = _edited(part, "torch.Tensor.view", "f32[6]", 6, 6)
    line = "self.head = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, self.out ** 2))"
    assert line in found


def _state() -> list[str]:
    layer = attempt("GRU", ("f32[12, 5, 16]", "f32[1, 4, 16]"), "self.rnn", input_size=16, hidden_size=16,
                    num_layers=1, batch_first=True)  # fmt: skip
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, place(TEXT, "nn.GRU(dim, dim"))
    return _edited("self.rnn(z, hn)", "", layer=layer)


def test_a_state_is_repeated_for_each_of_several_sequences() -> None:
    assert "_, h = self.rnn(z, hn.repeat_interleave(z.size(0) // hn.size(1), dim=1))" in _state()


def test_a_size_of_another_dim_is_asked_for_in_a_class_that_led_there() -> None:
    assert "return steps.reshape(-1, steps.size(2), 4)" in _state()


SCRIPT = """import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64))

    def forward(self, x):
        q, k = map(lambda t: t.unsqueeze(1), (x, self.net(x)))
        return q @ k

model = Net()
points = torch.randn(3, 128)
labels = torch.randint(0, 13, (2, 128))
loss = model(points).sum()
"""


def _in_script() -> list[str]:
    layer = attempt("BatchNorm1d", ("f32[64, 128]",), "self.net[1]", num_features=64)
    built = place(SCRIPT, "nn.BatchNorm1d(64)")
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, built)
    failure = Failure("trace", "no", place(SCRIPT, "self.net(x)"), layer=layer)
    example = Example("/w/model.py", "Net()(f32[3, 128])", "call", "", "Net", place(SCRIPT, "model(points)"))
    edits = mending_of(Trace(example, example.call, (), TraceReply(1, failure=failure)), {PATH: SCRIPT}.get)
    new = [applied(SCRIPT, one.changes).splitlines() for one in edits]
    return [next(line for line in lines if line not in SCRIPT.splitlines()) for lines in new]


def test_data_of_a_script_gets_the_batch_that_it_lacks() -> None:
    assert "points = torch.randn(2, 3, 128)" in _in_script()


JOINED = """import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, steps, names, dim):
        super().__init__()
        self.place = nn.Parameter(torch.randn(steps, dim))
        self.name = nn.Parameter(torch.randn(names, dim // 2))

    def forward(self, x):
        both = torch.cat([self.place.unsqueeze(0).repeat(2, 1, 1), self.name.unsqueeze(1).repeat(1, 3, 1)], dim=-1)
        return both.view(-1, 1, 16)
"""


def test_two_that_are_joined_are_made_alike() -> None:
    operation = attempt("torch.Tensor.view", ("f32[2, 3, 24]", -1, 1, 16))
    found = edited(Failure("trace", "no", place(JOINED, "both.view(-1, 1, 16)"), operation=operation), JOINED)
    assert "self.place = nn.Parameter(torch.randn(steps, dim // 2))" in found


GRID = """import torch
import torch.nn as nn

class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.g = nn.Parameter(torch.ones(1, dim, 1, 1))

    def forward(self, x):
        return x * self.g

class Net(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.net = nn.Sequential(
            Norm(dim),
            nn.Conv2d(size ** 2 * dim, 8, 1),
        )

    def forward(self, x, a, b):
        grid = torch.stack((a, b), dim=1)
        row = x.flatten()
        one = grid - x
        other = row + b
        return self.net(x)
"""


def _grid(part: str, target: str, *arguments: Any, calls: str = "") -> list[str]:
    led = (place(GRID, calls),) if calls else ()
    return edited(Failure("trace", "no", place(GRID, part), led, operation=attempt(target, arguments)), GRID)


def test_a_size_with_a_power_is_written_as_beside_it() -> None:
    found = _grid("x * self.g", "torch.Tensor.mul", "f32[1, 48, 8, 8]", "f32[1, 3, 1, 1]", calls="self.net(x)")
    assert "Norm(size ** 2 * dim)," in found


def test_what_is_stacked_is_made_rows_before() -> None:
    found = _grid("grid - x", "torch.Tensor.sub", "f32[16, 2, 16]", "f32[2, 256, 2]")
    assert "grid = torch.stack((a.flatten(), b.flatten()), dim=1)" in found


def test_what_is_flattened_whole_is_flattened_from_a_dim_on() -> None:
    assert "row = x.flatten(1)" in _grid("row + b", "torch.Tensor.add", "f32[96]", "f32[32]")
