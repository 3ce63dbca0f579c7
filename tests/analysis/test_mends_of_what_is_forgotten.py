"""Mends of orders, values for places, sizes exchanged where a tensor is made, slices, strides, masks."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Attempt, Failure
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import torch
from torch import nn
import torch.nn.functional as F

N_USERS, N_ITEMS = 60, 90

class Graph:
    def __init__(self, deg, n):
        self.ptr = torch.zeros(n + 1)
        self.ptr[1:] = torch.cumsum(deg, dim=0)

class Cache:
    def __init__(self, batch, heads, length, dim):
        shape = (batch, length, heads, dim)
        self.k = torch.zeros(shape)
        self.v = torch.zeros(batch, length, heads, dim, dtype=torch.float16)

    def update(self, k, v):
        self.k[:, :, 2:9] = k
        self.v[:, :, 2:9] = v

class Backbone(nn.Module):
    def __init__(self, kernel, dilation):
        self.layer1 = Block(24, 48, stride=2)
        self.layer2 = Block(48, 96, stride=1)
        self.pad = kernel - 1
        self.conv = nn.Conv1d(8, 8, kernel, dilation=dilation)

    def forward(self, x):
        h = self.conv(F.pad(x, (self.pad, 0)))
        c = x + h
        low = self.layer2(x)
        both = low + F.interpolate(h, scale_factor=2)
        return c, low, both

class Net(nn.Module):
    def __init__(self):
        self.backbone = Backbone(3, 2)

    def forward(self, x, start, n, memory, pad):
        low, high, top = self.backbone(x)
        scale = self.scale(top)
        cos, sin = self.cos[start:n], self.sin[start:n]
        turned = low * cos
        order, ordered = x.sort(dim=-1)
        weights = ordered.softmax(-1)
        best = x.max(dim=1)[0]
        picked = self.table[best]
        worst = x.min(dim=1).values
        lowest = self.table[worst]
        flat = x
        a, b = torch.where(flat > 0)
        last = x.mean(dim=1)
        joined = torch.cat([x, last], dim=1)
        out = self.decoder(x, memory, tgt_mask=n, tgt_key_padding_mask=pad)
        left, right = x.split([3, 6])
        outs = []
        for one in self.stages:
            outs.append(one(x))
        outs = outs
        scores = [self.match(p, q) for p, q in zip(outs, memory)]
        done = skips.pop(0)
        met = torch.cat([done, x], dim=1)
        return self.meet(x[None], pad, memory[None])

    def meet(self, x, pad, memory):
        return x + pad

def main(edges):
    graph = Graph(edges, N_USERS)
"""


def _edited(part: str, target: str, *arguments: Any, calls: str = "", layer: Attempt | None = None) -> list[str]:
    places = (place(TEXT, calls),) if calls else ()
    operation = attempt(target, arguments) if target else None
    return edited(Failure("trace", "no", place(TEXT, part), places, operation=operation, layer=layer), TEXT)


WHOLE = slice(None), slice(None), slice(2, 9)
OTHERS = [
    ("self.k[:, :, 2:9]", "torch.Tensor.__setitem__", ("f32[2, 9, 4, 8]", WHOLE, "f32[2, 4, 7, 8]"), "",
     "shape = (batch, heads, length, dim)"),
    ("self.v[:, :, 2:9]", "torch.Tensor.__setitem__", ("f32[2, 9, 4, 8]", WHOLE, "f32[2, 4, 7, 8]"), "",
     "self.v = torch.zeros(batch, heads, length, dim, dtype=torch.float16)"),
    ("self.ptr[1:]", "torch.Tensor.__setitem__", ("f32[61]", slice(1, None), "f32[90]"), "Graph(edges, N_USERS)",
     "graph = Graph(edges, N_ITEMS)"),
    ("x + h", "torch.Tensor.add", ("f32[2, 8, 9]", "f32[2, 8, 7]"), "", "self.pad = (kernel - 1) * dilation"),
    ("low + F.interpolate(h, scale_factor=2)", "torch.Tensor.add", ("f32[2, 8, 4, 4]", "f32[2, 8, 8, 8]"), "",
     "self.layer2 = Block(48, 96, stride=2)"),
    ("low * cos", "torch.Tensor.mul", ("f32[9, 8]", "f32[4, 8]"), "",
     "cos, sin = self.cos[start:start + n], self.sin[start:start + n]"),
    ("ordered.softmax(-1)", "torch.Tensor.softmax", ("i64[4, 8]", -1), "", "ordered, order = x.sort(dim=-1)"),
    ("self.table[best]", "torch.Tensor.__getitem__", ("f32[9, 8]", "f32[4]"), "", "best = x.max(dim=1)[1]"),
    ("self.table[worst]", "torch.Tensor.__getitem__", ("f32[9, 8]", "f32[4]"), "", "worst = x.min(dim=1).indices"),
    ("torch.cat([x, last], dim=1)", "torch.cat", (["f32[4, 8, 3]", "f32[4, 3]"], 1), "",
     "last = x.mean(dim=1, keepdim=True)"),
    ("self.decoder(x, memory, tgt_mask=n, tgt_key_padding_mask=pad)", "torch.Tensor.add",
     ("f32[9, 8]", "f32[4, 8]"), "",
     "out = self.decoder(x, memory, tgt_mask=n, memory_key_padding_mask=pad)"),
    ("x.split([3, 6])", "torch.Tensor.split", ("f32[4, 9, 2]", [3, 6]), "", "left, right = x.split([3, 6], dim=1)"),
    ("self.match(p, q)", "torch.Tensor.add", ("f32[9, 8]", "f32[4, 8]"), "",
     "scores = [self.match(p, q) for p, q in zip(outs[::-1], memory)]"),
    ("torch.cat([done, x], dim=1)", "torch.cat", (["f32[4, 8]", "f32[5, 8]"], 1), "", "done = skips.pop()"),
    ("x + pad", "torch.Tensor.add", ("f32[1, 9, 8]", "f32[4, 8]"), "self.meet(x[None], pad, memory[None])",
     "return self.meet(x[None], pad[None], memory[None])"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "target", "arguments", "calls", "wanted"), OTHERS, ids=lambda one: str(one)[:40])
def test_what_was_forgotten(part: str, target: str, arguments: tuple[Any, ...], calls: str, wanted: str | None) -> None:
    found = _edited(part, target, *arguments, calls=calls)
    assert wanted in found


def test_names_that_are_unpacked_elsewhere_say_the_order() -> None:
    text = TEXT.replace("return c, low, both", "return both, low, c").replace("low, high, top = ", "c, low, both = ")
    text = text.replace("self.scale(top)", "self.scale(both)")
    layer = attempt("Conv2d", ("f32[2, 8, 4, 4]",), "self.scale", in_channels=4)
    found = edited(Failure("trace", "no", place(text, "self.scale(both)"), layer=layer), text)
    assert "return c, low, both" in found


def test_a_variable_that_is_another_one_as_it_is() -> None:
    given = attempt("parts", ((*["i64[9]"] * 3,), 2))
    failure = Failure("trace", "no", place(TEXT, "a, b"), operation=given)
    assert "flat = x.flatten(0, 1)" in edited(failure, TEXT)


def test_vectors_for_a_normalisation_inside_of_a_model() -> None:
    layer = attempt("BatchNorm1d", ("f32[16, 7, 48]",), "self.scale[1]", num_features=48)
    found = edited(Failure("trace", "no", place(TEXT, "self.scale(top)"), layer=layer), TEXT)
    assert "scale = self.scale(top[:, 0])" in found
    assert "scale = self.scale(top.mean(dim=1))" in found


def test_what_a_layer_calls_norm_keeps_no_dim() -> None:
    text = TEXT.replace("last = x.mean(dim=1)", "last = self.norm(x)")
    failing = attempt("torch.cat", (["f32[4, 8, 3]", "f32[4, 3]"], 1))
    found = edited(Failure("trace", "no", place(text, "torch.cat([x, last], dim=1)"), operation=failing), text)
    assert not any("keepdim" in one for one in found)


LOOPS = """import torch
from torch import nn

class Layer(nn.Module):
    def forward(self, x):
        y = self.norm(x)
        return y.mean(dim=1)

class Lateral(nn.Module):
    def forward(self, maps):
        return [conv(one) for conv, one in zip(self.convs, maps)]

class Net(nn.Module):
    def __init__(self):
        self.layers = nn.ModuleList(Layer() for _ in range(2))
        self.lateral = Lateral()

    def stages(self, x):
        low = self.stem(x)
        return low, self.deep(low)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.lateral(self.stages(x))
"""


def test_what_the_round_before_of_a_loop_gave() -> None:
    layer = attempt("LayerNorm", ("f32[4, 9]",), "self.norm", normalized_shape=(8,))
    failure = Failure("trace", "no", place(LOOPS, "self.norm(x)"), (place(LOOPS, "layer(x)"),), layer=layer)
    assert "return y.mean(dim=-1)" in edited(failure, LOOPS)


def test_what_a_comprehension_goes_through_was_given_to_its_function() -> None:
    layer = attempt("Conv2d", ("f32[4, 9, 4, 4]",), "self.convs[0]", in_channels=8)
    calls = ["self.lateral(self.stages(x))", "[conv(one) for conv, one in zip(self.convs, maps)]"]
    spans = tuple(place(LOOPS, one) for one in calls)
    failure = Failure("trace", "no", place(LOOPS, "conv(one)"), spans, layer=layer)
    assert "return self.deep(low), low" in edited(failure, LOOPS)


CUT = """import torch
from torch import nn

class Smoothed(nn.Module):
    def forward(self, scores, target):
        return scores.scatter(1, target.unsqueeze(1), 0.9)

def train(model, criterion, source, words):
    scores = model(source, words[:, :-1])
    return criterion(scores.flatten(0, 1), words.flatten())
"""


def test_what_is_cut_elsewhere_is_cut_at_its_other_end() -> None:
    call = place(CUT, "criterion(scores.flatten(0, 1), words.flatten())")
    operation = attempt("torch.Tensor.scatter", ("f32[80, 9]", 1, "i64[88, 1]", 0.9))
    failure = Failure(
        "trace", "no", place(CUT, "scores.scatter(1, target.unsqueeze(1), 0.9)"), (call,), operation=operation
    )
    found = edited(failure, CUT)
    assert "return criterion(scores.flatten(0, 1), words[:, 1:].flatten())" in found
