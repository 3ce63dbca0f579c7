"""Mends of what an operand was made of: another dim, another order, a flag, a loop or a condition before."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Attempt, Failure
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import torch
class Turn(nn.Module):
    def forward(self, x):
        x = x.permute(0, 3, 1, 2)
        a, b = torch.chunk(self.conv(x), 2, dim=2)
        return torch.tanh(a) * b
class Norm(nn.Module):
    def __init__(self, steps, dim):
        self.norm = nn.LayerNorm([steps, dim])
class Net(nn.Module):
    def __init__(self, dim, hidden, widths):
        self.gru = nn.GRU(dim, hidden, batch_first=False)
        self.norm = nn.LayerNorm([6, dim])
        self.blocks = nn.ModuleList(Turn() for _ in range(2))
        if dim != 3 and hidden != dim:
            self.skip = nn.Linear(dim, hidden)
        last = 16
        for width in widths:
            self.layers.append(nn.Linear(last, width))

    def forward(self, x, mask):
        q, k = self.qkv(x).chunk(2, dim=1)
        q = q.view(2, 9, 4)
        steps, _ = self.gru(x)
        y = self.fc(steps[-1]).view(2, 1, -1)
        both = torch.cat([x, y], dim=0)
        both = both.unsqueeze(1)
        z = both + x
        turned = x.transpose(0, 1)
        scores = torch.relu(turned.mean(dim=1)) @ mask
        for block in self.blocks:
            h = block(x)
        w = torch.einsum("bd,bnd->bn", h, mask)
        n = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        o = torch.einsum("bnd,bnd->bn", h, mask)
        c = self.conv(self.embed(mask).transpose(1, 2))
        first, second = self.gate(x).split(8, dim=1)
        v = x + mask
        return self.inner(x[:, 0])

    def inner(self, item):
        b, t, f = item.shape
        return item.sum()
"""


def _edited(part: str, target: str, *arguments: Any, calls: str = "", layer: Attempt | None = None) -> list[str]:
    places = (place(TEXT, calls),) if calls else ()
    operation = attempt(target, arguments) if target else None
    return edited(Failure("trace", "no", place(TEXT, part), places, operation=operation, layer=layer), TEXT)


OTHERS = [
    ("q.view(2, 9, 4)", "torch.Tensor.view", ("f32[2, 5, 8]", 2, 9, 4), "q, k = self.qkv(x).chunk(2, dim=-1)"),
    ("self.fc(steps[-1]).view(2, 1, -1)", "torch.Tensor.view", ("f32[9, 5]", 2, 1, -1),
     "y = self.fc(steps[:, -1]).view(2, 1, -1)"),
    ("self.fc(steps[-1]).view(2, 1, -1)", "torch.Tensor.view", ("f32[9, 5]", 2, 1, -1),
     "self.gru = nn.GRU(dim, hidden, batch_first=True)"),
    ("both + x", "torch.Tensor.add", ("f32[4, 1, 8]", "f32[2, 9, 8]"), "both = torch.cat([x, y], dim=-1)"),
    ("torch.relu(turned.mean(dim=1)) @ mask", "torch.Tensor.matmul", ("f32[9, 8]", "f32[7, 3]"), "turned = x"),
    ("torch.relu(turned.mean(dim=1)) @ mask", "torch.Tensor.matmul", ("f32[9, 8]", "f32[7, 3]"),
     "scores = torch.relu(turned.mean(dim=-1)) @ mask"),
    ('torch.einsum("bd,bnd->bn", h, mask)', "torch.einsum", ("bd,bnd->bn", "f32[2, 4, 5, 8]", "f32[2, 3, 7]"),
     "a, b = torch.chunk(self.conv(x), 2, dim=-1)"),
    ('torch.einsum("bd,bnd->bn", h, mask)', "torch.einsum", ("bd,bnd->bn", "f32[2, 4, 5, 8]", "f32[2, 3, 7]"),
     "return (torch.tanh(a) * b).permute(0, 2, 3, 1)"),
    ('torch.einsum("bd,bnd->bn", h, mask)', "torch.einsum", ("bd,bnd->bn", "f32[2, 1, 7]", "f32[2, 3, 7]"),
     'w = torch.einsum("bd,bnd->bn", h.squeeze(1), mask)'),
    ('torch.einsum("bnd,bnd->bn", h, mask)', "torch.einsum", ("bnd,bnd->bn", "f32[2, 3, 7]", "f32[6, 7]"),
     'o = torch.einsum("bnd,bnd->bn", h, mask.unflatten(0, h.shape[:2]))'),
    ("x + mask", "torch.Tensor.add", ("f32[18, 8]", "f32[2, 9, 8]"), "v = x.unflatten(0, mask.shape[:2]) + mask"),
    ("x + mask", "torch.Tensor.add", ("f32[2, 9, 8]", "f32[2, 7, 5]"), "if dim != 3 or hidden != dim:"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "target", "arguments", "wanted"), OTHERS, ids=lambda one: str(one)[:40])
def test_a_step_before_in_another_way(part: str, target: str, arguments: tuple[Any, ...], wanted: str) -> None:
    assert wanted in _edited(part, target, *arguments)


def test_parts_along_another_dim() -> None:
    found = _edited("first, second", "builtins.parts", ["f32[2, 8, 9]"], 2)
    assert "first, second = self.gate(x).split(8, dim=-1)" in found


def test_what_a_caller_took_away() -> None:
    found = _edited("b, t, f", "builtins.unpack", "f32[2, 8]", 3, calls="self.inner(x[:, 0])")
    assert "return self.inner(x)" in found


def test_dims_that_were_not_merged_for_a_convolution() -> None:
    part = "self.conv(self.embed(mask).transpose(1, 2))"
    layer = attempt("Conv1d", ("f32[4, 7, 11, 16]",), "self.conv", in_channels=16, out_channels=8)
    found = _edited(part, "", layer=layer)
    assert "c = self.conv(self.embed(mask).flatten(0, 1).transpose(1, 2))" in found


def test_one_of_several_sizes_of_a_norm() -> None:
    layer = attempt("LayerNorm", ("f32[2, 9, 8]",), "self.norm", normalized_shape=(6, 8))
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, place(TEXT, "nn.LayerNorm([6, dim])"))
    assert "self.norm = nn.LayerNorm([9, dim])" in _edited("self.norm(x)", "", layer=layer)


def test_a_size_is_carried_on_in_a_loop() -> None:
    layer = attempt("Linear", ("f32[2, 32]",), "self.layers[1]", in_features=16, out_features=32)
    built = place(TEXT, "nn.Linear(last, width)")
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, built)
    assert "last = width" in _edited("layer(x)", "", layer=layer)


GAUSSIAN = """import torch
def gaussian(z, mean):
    return (z - mean).sum()
class Step(nn.Module):
    def forward(self, x):
        return x, self.log.sum(dim=0)
class Flow(nn.Module):
    def __init__(self, levels, channels=3):
        for level in range(levels):
            channels *= 2
            self.levels.append(nn.ModuleList(Step() for _ in range(2)))
        self.scale = nn.Conv2d(channels, 4, 3)
        self.same = nn.Conv2d(4, 4, 3)
        self.weight = nn.Parameter(torch.zeros(4, 6))

    def forward(self, x, total):
        for steps in self.levels:
            for step in steps:
                x, logdet = step(x)
                total = total + logdet
        y = self.scale(x)
        w = F.conv2d(x, self.weight)
        u = self.same(x)
        v = u + x
        d = x[:, :, 1:] - x[:, :-1]
        e = torch.zeros(x.shape[:2])
        f = e.softmax(dim=2)
        g = x.mean(dim=3)
        b, t, c = g.shape
        return gaussian(x, total)
"""


def _of_flow(part: str, operation: Attempt | None, layer: Attempt | None = None, calls: str = "") -> list[str]:
    places = (place(GAUSSIAN, calls),) if calls else ()
    return edited(Failure("trace", "no", place(GAUSSIAN, part), places, operation=operation, layer=layer), GAUSSIAN)


def test_what_a_function_is_passed() -> None:
    found = _of_flow("z - mean", attempt("torch.Tensor.sub", ("f32[2, 5, 4, 4]", "f32[2, 5]")),
                     calls="gaussian(x, total)")  # fmt: skip
    assert "return gaussian(x, total[:, :, None, None])" in found


def test_a_step_of_a_layer_of_a_loop_in_a_loop() -> None:
    found = _of_flow("total + logdet", attempt("torch.Tensor.add", ("f32[2]", "f32[192]")))
    assert "return x, self.log.sum(dim=-1)" in found


def test_a_factor_that_a_size_grows_by() -> None:
    layer = attempt("Conv2d", ("f32[2, 12, 8, 8]",), "self.scale", in_channels=6, out_channels=4)
    built = place(GAUSSIAN, "nn.Conv2d(channels, 4, 3)")
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, built)
    assert "channels *= 4" in _of_flow("self.scale(x)", None, layer)


def test_a_weight_with_other_dims() -> None:
    found = _of_flow("F.conv2d(x, self.weight)", attempt("torch.conv2d", ("f32[2, 6, 8, 8]", "f32[4, 6]")))
    assert "w = F.conv2d(x, self.weight[:, :, None, None])" in found


def test_padding_of_pictures_that_are_no_squares() -> None:
    found = _of_flow("u + x", attempt("torch.Tensor.add", ("f32[2, 4, 6, 9]", "f32[2, 4, 8, 11]")))
    assert "self.same = nn.Conv2d(4, 4, 3, padding=1)" in found


def test_parts_of_the_same_and_sizes_of_a_new_tensor() -> None:
    found = _of_flow("x[:, :, 1:] - x[:, :-1]", attempt("torch.Tensor.sub", ("f32[2, 9, 6]", "f32[2, 8, 7]")))
    assert "d = x[:, :, 1:] - x[:, :, :-1]" in found
    found = _of_flow("e.softmax(dim=2)", attempt("torch.Tensor.softmax", ("f32[2, 3]", {"dim": 2})))
    assert "e = torch.zeros(x.shape[:3])" in found


def test_a_dim_more_that_is_reduced() -> None:
    found = _of_flow("g.shape", attempt("unpack", ("f32[2, 3, 4, 5]", 3)))
    assert "g = x.mean(dim=(3, 4))" in found


def test_what_is_passed_on_by_keyword_is_followed() -> None:
    text = """class Attention(nn.Module):
    def forward(self, x, pos):
        cos, sin = pos
        return x * cos


class Block(nn.Module):
    def forward(self, x, **kwargs):
        return self.attn(x, **kwargs)


class Net(nn.Module):
    def forward(self, x, freqs):
        emb = torch.cat((freqs, freqs), dim=1)
        return self.block(x, pos=(emb.cos(), emb.sin()))
"""
    calls = (place(text, "self.block(x, pos=(emb.cos(), emb.sin()))"), place(text, "self.attn(x, **kwargs)"))
    product = attempt("torch.Tensor.mul", ("f32[2, 9, 16]", "f32[1, 18, 8]"))
    found = edited(Failure("trace", "no", place(text, "x * cos"), calls=calls, operation=product), text)
    assert "emb = torch.cat((freqs, freqs), dim=-1)" in found
