"""Mends of what leads to a failure: lists of sizes, loops that make layers, methods, parts, numbers of the file."""

from __future__ import annotations

from typing import Any

from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.value import Group
from tests.analysis.facts import tensor
from tests.analysis.test_mends import attempt, edited, place

LAYERS = """import torch.nn as nn

WIDTH, EMBED, BATCH = 96, 256, 8

def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers)

class Net(nn.Module):
    def __init__(self, x_dim, y_dim, hidden, layers):
        super().__init__()
        self.points = mlp([x_dim, hidden, hidden])
        self.rnns = nn.ModuleList()
        for i in range(layers):
            self.rnns.append(nn.LSTM(x_dim, hidden))
        self.convs = nn.ModuleList([nn.Conv1d(x_dim, hidden, 1) for _ in range(layers)])
        self.other = nn.Sequential(nn.Linear(WIDTH, 4))
        self.post = nn.Sequential(nn.Linear(WIDTH + BATCH, 4))
        self.stats = nn.Linear(hidden, hidden)

    def encode(self, x):
        b, w, n = x.shape
        return self.proj(x.view(b * w, n))

    def keep(self, x):
        return [torch.cat(one, dim=1) for one in zip(*x)]

    def forward(self, x, h, state):
        p = self.points(torch.cat([x, h], -1))
        for rnn in self.rnns:
            x, state = rnn(x, state)
        for conv in self.convs:
            x = conv(x)
        q = self.post(x)
        s = self.encode(x) + h
        mean, scale = self.stats(x).chunk(2, dim=-1)
        t = mean + h
        a, c = self.keep(h)
        u = torch.cat([a, c.flatten(2)], -1)
        return u

def main():
    net = Net(3, 4, 8, 2)
    net(x, h, torch.zeros(1, 16, 8))
"""


def _of(built: str, failing: str, target: str, *arguments: Any, **settings: Any) -> list[str]:
    layer = attempt(target, arguments, failing.partition("(")[0], **settings)
    layer = Attempt(
        layer.target, layer.arguments, layer.called, layer.settings, place(LAYERS, built) if built else None
    )
    return edited(Failure("trace", "no", place(LAYERS, failing), layer=layer), LAYERS)


def test_a_list_of_sizes_for_a_function_that_makes_layers() -> None:
    settings = {"in_features": 3, "out_features": 8}
    found = _of("", "self.points(torch.cat([x, h], -1))", "Linear", "f32[2, 7]", **settings)
    assert "self.points = mlp([x_dim + y_dim, hidden, hidden])" in found


def test_layers_of_a_loop_are_made_for_what_the_one_before_makes() -> None:
    built, settings = "nn.LSTM(x_dim, hidden)", {"input_size": 3, "hidden_size": 8}
    found = _of(built, "rnn(x, state)", "LSTM", "f32[5, 2, 8]", **settings)
    assert "self.rnns.append(nn.LSTM(x_dim if i == 0 else hidden, hidden))" in found
    built, settings = "nn.Conv1d(x_dim, hidden, 1)", {"in_channels": 3, "out_channels": 8}
    found = _of(built, "conv(x)", "Conv1d", "f32[5, 8, 9]", **settings)
    wanted = "[nn.Conv1d(x_dim if i == 0 else hidden, hidden, 1) for i in range(layers)]"
    assert f"self.convs = nn.ModuleList({wanted})" in found


def test_a_number_of_the_whole_file_for_one_side_of_a_sum() -> None:
    found = _of("", "self.post(x)", "Linear", "f32[2, 352]", in_features=104, out_features=4)
    assert found[0] == "self.post = nn.Sequential(nn.Linear(WIDTH + EMBED, 4))"


def test_a_number_that_is_written_in_what_led_there() -> None:
    calls = (place(LAYERS, "net(x, h, torch.zeros(1, 16, 8))"),)
    layer = attempt("LSTM", ("f32[5, 8, 3]",), "rnn", input_size=3, hidden_size=8, num_layers=1)
    pair = Group("tuple", (tensor("f32[1, 16, 8]"), tensor("f32[1, 16, 8]")))
    layer = Attempt(layer.target, (layer.arguments[0], Argument("1", pair)), layer.called, layer.settings)
    found = edited(Failure("trace", "no", place(LAYERS, "rnn(x, state)"), layer=layer, calls=calls), LAYERS)
    assert "net(x, h, torch.zeros(1, 8, 8))" in found


def _fails(failing: str, target: str, *arguments: Any) -> list[str]:
    return edited(Failure("trace", "no", place(LAYERS, failing), operation=attempt(target, arguments)), LAYERS)


def test_dims_that_a_method_takes_as_one_are_two_again() -> None:
    found = _fails("self.encode(x) + h", "torch.Tensor.add", "f32[10, 8]", "f32[2, 7, 8]")
    assert "return self.proj(x.view(b * w, n)).unflatten(0, (b, w))" in found


def test_a_layer_makes_as_much_as_is_split() -> None:
    found = _fails("mean + h", "torch.Tensor.add", "f32[2, 4]", "f32[2, 8]")
    assert "self.stats = nn.Linear(hidden, 2 * hidden)" in found


def test_what_a_method_joins_is_stacked_where_a_dim_is_missing() -> None:
    found = _fails("torch.cat([a, c.flatten(2)], -1)", "torch.cat", ["f32[2, 40]", "f32[2, 8, 8]"], -1)
    assert "return [torch.stack(one, dim=1) for one in zip(*x)]" in found


MAPS = """import torch
import torch.nn.functional as F

def volume(left, right, n, k):
    b, c, h, w = left.shape
    cost = left.new_zeros(b, c, h, w)
    cost[:, c:] = right
    low = torch.max(left[:, None, :2], right[:, None, :2])
    pooled = [F.interpolate(one, scale_factor=4) for one in low]
    x = torch.cat([left, *pooled], dim=1)
    y = left[:, :n] + right[:, n:]
    z = left[:, k + 1 :] + right
    return x

class Net(nn.Module):
    def __init__(self, c, k, dilation):
        self.conv = nn.Conv2d(c, c, k, padding=k // 2, dilation=dilation)

    def forward(self, x):
        return self.conv(x) + x
"""


def _maps(failing: str, target: str, *arguments: Any) -> list[str]:
    return edited(Failure("trace", "no", place(MAPS, failing), operation=attempt(target, arguments)), MAPS)


def test_what_is_filled_is_as_long_as_all_that_is_put_there() -> None:
    index = (slice(None), slice(8, None, None))
    found = _maps("cost[:, c:]", "torch.Tensor.__setitem__", "f32[2, 8, 4, 4]", index, "f32[2, 8, 4, 4]")
    assert "cost = left.new_zeros(b, 2 * c, h, w)" in found


def test_a_dim_more_in_another_place_is_tried_for_the_larger_of_two() -> None:
    found = _maps("torch.max(left[:, None, :2], right[:, None, :2])", "torch.max", "f32[3, 1, 2]", "f32[9, 1, 2]")
    assert "low = torch.max(left[:, None, :2], right[None, :, :2])" in found


def test_maps_are_resized_to_what_they_are_joined_with() -> None:
    tensors = ["f32[2, 3, 8, 8]", "f32[2, 3, 4, 4]", "f32[2, 3, 4, 4]"]
    found = _maps("torch.cat([left, *pooled], dim=1)", "torch.cat", tensors, 1)
    assert "pooled = [F.interpolate(one, size=left.shape[2:]) for one in low]" in found


def test_a_part_is_taken_from_where_the_one_beside_it_is_or_one_less() -> None:
    found = _maps("left[:, :n] + right[:, n:]", "torch.Tensor.add", "f32[2, 3]", "f32[2, 5]")
    assert "y = left[:, :n] + right[:, :n]" in found
    found = _maps("left[:, k + 1 :] + right", "torch.Tensor.add", "f32[2, 3]", "f32[2, 4]")
    assert "z = left[:, k :] + right" in found


def test_a_padding_that_knows_the_dilation() -> None:
    found = _maps("self.conv(x) + x", "torch.Tensor.add", "f32[2, 3, 4, 4]", "f32[2, 3, 8, 8]")
    assert "self.conv = nn.Conv2d(c, c, k, padding=dilation * (k // 2), dilation=dilation)" in found


def test_a_map_in_a_list_is_resized_to_the_one_before() -> None:
    text = MAPS.replace("x = torch.cat([left, *pooled], dim=1)", "x = low[n - 1] + low[n]")
    add = attempt("torch.Tensor.add", ("f32[2, 3, 8, 8]", "f32[2, 3, 4, 4]"))
    found = edited(Failure("trace", "no", place(text, "low[n - 1] + low[n]"), operation=add), text)
    assert "x = low[n - 1] + F.interpolate(low[n], size=low[n - 1].shape[2:])" in found


def test_what_a_loop_takes_out_of_what_a_function_collects_is_looked_at() -> None:
    text = """def batch():
    found = []
    for _ in range(3):
        found.append((torch.cat([a, b], dim=0), c))
    return found

def losses(pairs, k):
    return [one + k for one, _ in pairs]

def main():
    pairs = batch()
    return losses(pairs, 1)
"""
    add, calls = attempt("torch.Tensor.add", ("f32[6, 2]", "f32[3, 4]")), (place(text, "losses(pairs, 1)"),)
    found = edited(Failure("trace", "no", place(text, "one + k"), operation=add, calls=calls), text)
    assert "found.append((torch.cat([a, b], dim=-1), c))" in found
