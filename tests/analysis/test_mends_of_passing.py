"""Mends of what is passed on: sums of sizes, arguments in the wrong order, what is kept too late, loops too long."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Attempt, Failure
from fx_lsp.model.span import Span
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, edited, of_function, of_layer, place

NET = """import torch
import torch.nn as nn
import torch.nn.functional as F
from other import Keeper

def helper(clip):
    b, t = clip.shape[:2]
    return clip[-1]

class Net(nn.Module):
    def __init__(self, inp, hidden, count):
        super().__init__()
        self.gates = nn.Linear(inp, 4 * hidden)
        self.rnn = nn.LSTM(inp, hidden)
        self.fc = nn.Linear(64, count)
        self.head = nn.Linear(hidden, 2 * count)
        self.keeper = Keeper()

    def forward(self, x, h, y):
        b, c, f, t = x.shape
        z = self.gates(torch.cat([x, h], dim=-1))
        for i in range(x.size(2)):
            h = h + x[:, i]
        for i in range(y.size(1) - 1):
            h = h + y[:, i + 2]
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
        for up, skip in zip(self.ups, skips):
            x = up(torch.cat([x, skip], 1))
        q, k = self.q(h), self.k(y)
        u = q @ k
        _, (state, _) = self.rnn(x)
        v = state.view(2, b, -1)
        out = F.avg_pool2d(x, 4).flatten(1)
        w = self.fc(out)
        a, s = self.head(x).chunk(3, dim=-1)
        d = a - s
        o = self.mix(h, y)
        m = h.masked_fill(torch.arange(f)[None] < y, 0)
        e = self.keeper(h) + y
        g = helper(y) + h
        n = x.size(1)
        r = x * self.cos[:n]
        return g

    def mix(self, one, two):
        return one * self.scale + two
"""


def _edited(part: str, target: str, *arguments: Any, layer: Attempt | None = None, calls: tuple[Span, ...] = ()) -> Any:
    operation = attempt(target, arguments) if target else None
    return edited(Failure("trace", "no", place(NET, part), operation=operation, layer=layer, calls=calls), NET)


def test_what_is_joined_is_the_sum_of_what_it_is_made_of() -> None:
    layer = attempt("Linear", ("f32[2, 24]",), "self.gates", in_features=8, out_features=64)
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings,
                    place(NET, "nn.Linear(inp, 4 * hidden)"))  # fmt: skip
    found = _edited("self.gates(torch.cat([x, h], dim=-1))", "", layer=layer)
    # `4 * hidden` is 64, so `hidden` is what is missing.
    assert "self.gates = nn.Linear(inp + hidden, 4 * hidden)" in found
    found = of_layer("nn.Linear(dim, 4)", "self.layer(x)", "f32[2, 11]", in_features=8, out_features=4)
    assert "nn.Linear(dim + 3, 4)" not in found


def test_arguments_are_passed_in_the_other_order() -> None:
    calls = (place(NET, "self.mix(h, y)"),)
    found = _edited("one * self.scale", "torch.Tensor.mul", "f32[2, 9]", "f32[8]", calls=calls)
    assert "o = self.mix(y, h)" in found


def test_two_calls_beside_each_other_get_what_the_other_one_got() -> None:
    calls = (place(NET, "self.q(h), self.k(y)"),)
    found = _edited("self.q(h)", "torch.nn.functional.linear", "f32[2, 9]", "f32[8, 8]", calls=calls)
    assert "q, k = self.q(y), self.k(h)" in found


def test_a_loop_goes_over_the_dim_that_is_indexed() -> None:
    found = _edited("x[:, i]", "torch.Tensor.__getitem__", "f32[2, 3, 8]", (slice(None), 3))
    assert found[0] == "for i in range(x.size(1)):"


def test_a_loop_that_looks_ahead_ends_one_round_sooner() -> None:
    found = _edited("y[:, i + 2]", "torch.Tensor.__getitem__", "f32[2, 3, 8]", (slice(None), 3))
    assert found[0] == "for i in range(y.size(1) - 1 - 1):"


def test_what_is_kept_is_kept_before_the_step_and_taken_the_other_way_round() -> None:
    found = _edited("torch.cat([x, skip], 1)", "torch.cat", ["f32[2, 9, 4, 4]", "f32[2, 5, 8, 8]"], 1)
    assert "skips.append(x)\n            x = down(x)" in found
    assert "for up, skip in zip(self.ups, reversed(skips)):" in found


def test_a_state_of_two_directions() -> None:
    found = _edited("state.view(2, b, -1)", "torch.Tensor.view", "f32[1, 5, 8]", 2, 5, 8)
    assert "self.rnn = nn.LSTM(inp, hidden, bidirectional=True)" in found


@pytest.mark.parametrize(("size", "wanted"), [(256, "8"), (16, "2")])
def test_the_kernel_of_the_pooling_before(size: int, wanted: str) -> None:
    layer = attempt("Linear", (f"f32[2, {size}]",), "self.fc", in_features=64, out_features=4)
    assert f"out = F.avg_pool2d(x, {wanted}).flatten(1)" in _edited("self.fc(out)", "", layer=layer)


def test_as_many_parts_as_it_is_split_into() -> None:
    found = _edited("a - s", "torch.Tensor.sub", "f32[2, 4]", "f32[2, 2]")
    assert "self.head = nn.Linear(hidden, 3 * count)" in found


def test_a_name_that_was_unpacked_beside_the_one_that_is_meant() -> None:
    found = _edited("h.masked_fill(torch.arange(f)[None] < y, 0)", "torch.Tensor.masked_fill",
                    "f32[2, 9]", "b8[2, 7]", 0)  # fmt: skip
    assert "m = h.masked_fill(torch.arange(t)[None] < y, 0)" in found


def test_what_a_function_gives_back_is_looked_at() -> None:
    found = _edited("helper(y) + h", "torch.Tensor.add", "f32[5, 8]", "f32[2, 8]")
    assert "return clip[:, -1]" in found


def test_what_a_model_of_another_file_gives_back_is_looked_at() -> None:
    other = "import torch\n\nclass Keeper:\n    def forward(self, h):\n        return torch.stack([h, h], dim=1)\n"
    failure = Failure("trace", "no", place(NET, "self.keeper(h) + y"),
                      operation=attempt("torch.Tensor.add", ("f32[2, 5, 8]", "f32[5, 2, 8]")))  # fmt: skip
    texts = {PATH: NET, PATH.rpartition("/")[0] + "/other.py": other}
    edits = [edit for edit in proposals(failure, texts.get) if edit.path != PATH]
    assert any("dim=-1" in applied(other, edit.changes) for edit in edits)


def test_the_size_of_another_dim() -> None:
    found = _edited("x * self.cos[:n]", "torch.Tensor.mul", "f32[2, 9, 8]", "f32[2, 8]")
    assert "n = x.size(2)" in found


def test_one_step_for_a_recurrent_layer_with_the_state_of_a_batch() -> None:
    found = of_layer("nn.GRU(8, 4, batch_first=True)", "self.layer(x, y)", "f32[5, 8]", "f32[1, 5, 4]",
                     input_size=8, hidden_size=4, num_layers=1, batch_first=True)  # fmt: skip
    assert found[0] == "self.layer(x.unsqueeze(1), y)"
    found = of_layer("nn.GRU(8, 4)", "self.layer(x, y)", "f32[5, 8]", "f32[1, 5, 4]",
                     input_size=8, hidden_size=4, num_layers=1)  # fmt: skip
    assert found[0] == "self.layer(x.unsqueeze(0), y)"


def test_rows_that_are_matrices_and_dims_that_one_operand_lacks() -> None:
    assert "x @ y.unflatten(-1, (3, 3))" in of_function("x @ y", "torch.Tensor.__matmul__", "f32[2, 5, 3]", "f32[2, 9]")
    found = of_function("x * y", "torch.Tensor.mul", "f32[4, 3, 8, 8]", "f32[4, 1]")
    assert found.index("x * y[:, :, None, None]") < 6
    assert (
        of_function("x + y", "torch.Tensor.add", "f32[2, 5, 8]", "f32[10, 8]")[0] == "x + y.unflatten(0, x.shape[:2])"
    )
