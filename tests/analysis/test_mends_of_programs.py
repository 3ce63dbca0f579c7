"""Mends of what people write around layers: dilation, sizes that were unpacked, parameters without a batch, masks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fx_lsp.model.failure import Failure
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import numpy as np
import torch
import torch.nn as nn
def conv_gn(c_in, c_out, k=3):
    return nn.Sequential(nn.Conv2d(c_in, c_out, k), nn.GroupNorm(4, c_out))
class Unit(nn.Module):
    def __init__(self, ch, dilation):
        self.layers = nn.Sequential(nn.Conv1d(ch, ch, 3, padding=1, dilation=dilation), nn.Conv1d(ch, ch, 1))
    def forward(self, x):
        return x + self.layers(x)
class Rates(nn.Module):
    def __init__(self, ch, rates=(2, 4)):
        made = [nn.Conv2d(ch, ch, 1)]
        for rate in rates:
            made.append(nn.Sequential(nn.Conv2d(ch, ch, 5, 1, 2, rate), nn.ReLU()))
        self.convs = nn.ModuleList(made)
    def forward(self, x):
        return torch.cat([conv(x) for conv in self.convs], dim=1)
class Transform(nn.Module):
    def __init__(self, k=3):
        self.matrix = nn.Linear(32, k)
        nn.init.eye_(self.matrix.bias.data.view(k, k))
class Agent(nn.Module):
    def forward(self, batch, dones, state):
        T, B = dones.shape
        x = self.encode(batch)
        for step in x:
            y, state = self.lstm(step.unsqueeze(0), state)
        return y
class Cell(nn.Module):
    def __init__(self, n_labs, hidden):
        self.cell = nn.GRUCell(n_labs + 1, hidden)
    def forward(self, values, mask, deltas, h):
        z = torch.cat([values, mask, deltas], dim=-1)
        return self.cell(z, h)
class Latents(nn.Module):
    def __init__(self, n, dim):
        self.latents = nn.Parameter(torch.randn(n, dim))
        self.attn = nn.MultiheadAttention(dim, 4, batch_first=True)
    def forward(self, coords, kv):
        x = self.latents
        return self.attn(x, kv, kv)
class Pyramid(nn.Module):
    def forward(self, laterals, features, i):
        return laterals[i - 1] + F.interpolate(features[i], scale_factor=2.0)
class Head(nn.Module):
    def __init__(self, a, classes):
        self.pred = nn.Conv2d(8, a * (classes + 1), 3)
    def forward(self, f, n, k):
        y = self.pred(f)
        return y.view(n, -1, k, 4, 4)
class Steps(nn.Module):
    def forward(self, values, ts):
        deltas = torch.diff(ts)
        return torch.cat([values, deltas.unsqueeze(-1)], dim=-1)
class Windows:
    def __init__(self, length):
        t = np.arange(length)
        self.values = np.stack([np.sin(t / 5), np.sin(t / 7)], axis=1)
class Fuse(nn.Module):
    def __init__(self, dim):
        half = dim // 2
        self.main = conv_gn(dim, half)
        self.fuse = conv_gn(half, dim)
    def forward(self, x, y):
        return self.fuse(torch.cat([x, y], dim=1))
class Heads(nn.Module):
    def forward(self, x, y):
        q, k = map(lambda t: rearrange(t, "b (h d) x y -> b h (x y) d", h=4), (x, y))
        return torch.einsum("b i d, b j d -> b i j", q, k)
class Table(nn.Module):
    def forward(self, x):
        return x + self.table[None, :, :, :]
def run(net, windows):
    return net(windows)
"""


def _function(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(TEXT, one) for one in calls)
    return edited(Failure("trace", "no", place(TEXT, part), spans, operation=attempt(target, arguments)), TEXT)


def _layer(part: str, built: str, target: str, *given: Any, calls: tuple[str, ...] = (), **settings: Any) -> list[str]:
    layer = replace(attempt(target, given, part.partition("(")[0], **settings), built=place(TEXT, built))
    return edited(
        Failure("trace", "no", place(TEXT, part), tuple(place(TEXT, one) for one in calls), layer=layer), TEXT
    )


def test_the_dilation_of_any_layer_of_a_sequence_is_its_padding() -> None:
    found = _function("x + self.layers(x)", "torch.Tensor.add", "f32[2, 8, 40]", "f32[2, 8, 36]")
    wanted = "nn.Conv1d(ch, ch, 3, padding=dilation, dilation=dilation)"
    assert any(wanted in one for one in found[:3]), found


def test_the_dilation_of_layers_that_a_loop_makes_is_their_padding() -> None:
    part = "torch.cat([conv(x) for conv in self.convs], dim=1)"
    shapes = ["f32[2, 8, 12, 12]", "f32[2, 8, 8, 8]", "f32[2, 8, 0, 0]"]
    found = _function(part, "torch.cat", shapes, {"dim": 1})
    assert any("nn.Conv2d(ch, ch, 5, 1, rate * 2, rate)" in one for one in found[:3]), found


def test_the_bias_of_a_layer_as_data_is_that_of_the_layer() -> None:
    found = _function("self.matrix.bias.data.view(k, k)", "torch.Tensor.view", "f32[3]", 3, 3)
    assert "self.matrix = nn.Linear(32, k ** 2)" in found[:2]
    assert not any("view(k, -1)" in one or "view(-1, k)" in one for one in found)


def test_sizes_that_were_unpacked_and_are_used_by_nothing_take_rows_apart() -> None:
    state = ["f32[1, 4, 64]", "f32[1, 4, 64]"]
    sizes = {"input_size": 144, "hidden_size": 64, "num_layers": 1}
    found = _layer("self.lstm(step.unsqueeze(0), state)", "nn.GRUCell(", "LSTM", "f32[1, 144]", state, **sizes)
    assert "x = self.encode(batch).unflatten(0, (T, B))" in found[:6]


def test_what_is_joined_twice_is_twice_as_much() -> None:
    sizes = {"input_size": 13, "hidden_size": 40}
    found = _layer("self.cell(z, h)", "nn.GRUCell(n_labs + 1, hidden)", "GRUCell", "f32[6, 25]", "f32[6, 40]", **sizes)
    assert "self.cell = nn.GRUCell(2 * n_labs + 1, hidden)" in found[:2]


def test_a_parameter_without_a_batch_is_expanded_to_that_of_what_is_given() -> None:
    sizes = {"embed_dim": 64, "num_heads": 4, "kdim": 64, "vdim": 64, "batch_first": True}
    given = ("f32[24, 64]", "f32[4, 9, 64]", "f32[4, 9, 64]")
    built = "nn.MultiheadAttention(dim, 4, batch_first=True)"
    found = _layer("self.attn(x, kv, kv)", built, "MultiheadAttention", *given, **sizes)
    assert "x = self.latents.expand(coords.size(0), -1, -1)" in found[:4]


def test_a_variable_is_used_in_the_place_of_another_one_beside_it() -> None:
    part = "laterals[i - 1] + F.interpolate(features[i], scale_factor=2.0)"
    found = _function(part, "torch.Tensor.add", "f32[2, 48, 16, 16]", "f32[2, 128, 16, 16]")
    assert "return laterals[i - 1] + F.interpolate(laterals[i], scale_factor=2.0)" in found[:4]


def test_one_more_than_is_wanted_is_left_out_of_a_size() -> None:
    found = _function("y.view(n, -1, k, 4, 4)", "torch.Tensor.view", "f32[2, 45, 4, 4]", 2, -1, 4, 4, 4)
    assert "self.pred = nn.Conv2d(8, a * classes, 3)" in found[:6]


def test_a_difference_has_a_step_before_the_first_one() -> None:
    part = "torch.cat([values, deltas.unsqueeze(-1)], dim=-1)"
    found = _function(part, "torch.cat", ["f32[6, 20, 12]", "f32[6, 19, 1]"], {"dim": -1})
    assert "deltas = torch.diff(ts, prepend=ts[..., :1])" in found[:4]


def test_an_array_that_a_data_set_keeps_is_made_of_floats() -> None:
    operation = attempt("torch.nn.functional.linear", ("f64[2, 8]", "f32[4, 8]"))
    failure = Failure("trace", "no", place(TEXT, "net(windows)"), operation=operation)
    wanted = "self.values = np.stack([np.sin(t / 5), np.sin(t / 7)], axis=1).astype(np.float32)"
    assert wanted in edited(failure, TEXT)


def test_a_size_that_is_passed_to_a_function_is_changed_where_it_is_passed() -> None:
    sizes = {"in_channels": 16, "out_channels": 32, "kernel_size": (3, 3)}
    given = "f32[2, 32, 8, 8]"
    found = _layer("self.fuse(torch.cat([x, y], dim=1))", "nn.Conv2d(c_in, c_out, k)", "Conv2d", given, **sizes)
    first = next(place for place, one in enumerate(found) if one.startswith("self.fuse = conv_gn("))
    inside = [place for place, one in enumerate(found) if "nn.Conv2d(" in one]
    assert all(first < place for place in inside), found


def test_a_mask_of_each_sample_is_that_of_all_heads() -> None:
    shapes = ("f32[2, 4, 5, 8]", "f32[2, 4, 9, 8]", "f32[2, 4, 9, 8]", {"attn_mask": "b8[2, 5, 9]"})
    text = "class Net(nn.Module):\n    def forward(self, q, k, m):\n        return f(q, k, k, attn_mask=m)\n"
    operation = attempt("torch.nn.functional.scaled_dot_product_attention", shapes)
    failure = Failure("trace", "no", place(text, "f(q, k, k, attn_mask=m)"), operation=operation)
    assert "return f(q, k, k, attn_mask=m.unsqueeze(1))" in edited(failure, text)[:3]


def test_heads_that_an_equation_has_no_letter_for_are_part_of_the_batch() -> None:
    part, given = 'torch.einsum("b i d, b j d -> b i j", q, k)', "f32[2, 4, 9, 8]"
    found = _function(part, "torch.einsum", "b i d, b j d -> b i j", given, given)
    wanted = 'q, k = map(lambda t: rearrange(t, "b (h d) x y -> (b h) (x y) d", h=4), (x, y))'
    assert wanted in found


def test_sizes_of_the_whole_are_divided_where_those_of_parts_are_meant() -> None:
    call = 'rearrange(x, "b (p q) (h w) d -> b d (h p) (w q)", h=h, w=w, p=self.p, q=self.q)'
    text = f"class Net(nn.Module):\n    def forward(self, x, h, w):\n        return {call}\n"
    named = {"h": 8, "w": 8, "p": 2, "q": 2}
    operation = attempt("rearrange", ("f32[2, 4, 16, 5]", "b (p q) (h w) d -> b d (h p) (w q)", named))
    wanted = call.replace("h=h, w=w", "h=h // self.p, w=w // self.q")
    assert f"return {wanted}" in edited(Failure("trace", "no", place(text, call), operation=operation), text)[:2]


@pytest.mark.parametrize("shape", ["f32[16, 4, 4]", "f32[1, 16, 4, 4]"])
def test_a_part_is_cut_off_only_when_all_else_failed(shape: str) -> None:
    rows = ["f32[2, 8, 4, 4]", shape]
    found = _function("x + self.table[None, :, :, :]", "torch.Tensor.add", *rows)
    assert not any("[:, :8" in one or "[:8" in one for one in found[:1]), found


BLOCKS = """class Block(nn.Module):
    expansion = 4
    def __init__(self, inplanes, planes):
        self.conv = nn.Conv2d(inplanes, planes * self.expansion, 1)
    def forward(self, x):
        return self.conv(x)
class Net(nn.Module):
    def __init__(self, width):
        self.inplanes = width
        self.layer1 = self.make(width)
        self.layer2 = self.make(width * 2)
    def make(self, planes):
        layers = [Block(self.inplanes, planes)]
        self.inplanes = planes
        return nn.Sequential(*layers)
    def forward(self, x):
        return self.layer2(self.layer1(x))
"""


def test_what_is_carried_on_is_as_much_as_a_block_makes() -> None:
    sizes = {"in_channels": 8, "out_channels": 64, "kernel_size": (1, 1)}
    layer = attempt("Conv2d", ("f32[2, 32, 8, 8]",), "self.conv", **sizes)
    layer = replace(layer, built=place(BLOCKS, "nn.Conv2d(inplanes, planes * self.expansion, 1)"))
    calls = (place(BLOCKS, "self.layer2(self.layer1(x))"),)
    found = edited(Failure("trace", "no", place(BLOCKS, "self.conv(x)"), calls, layer=layer), BLOCKS)
    assert "self.inplanes = planes * Block.expansion" in found[:8], found


def test_a_number_that_makes_sizes_alike_comes_last() -> None:
    text = TEXT.replace("torch.diff(ts)", "self.net(ts, 20)")
    part = "torch.cat([values, deltas.unsqueeze(-1)], dim=-1)"
    failure = Failure(
        "trace", "no", place(text, part), operation=attempt("torch.cat", (["f32[6, 20, 12]", "f32[6, 19, 1]"], -1))
    )
    found = edited(failure, text)
    assert "deltas = self.net(ts, 19)" in found[-2:]


SUMS = """class Cross(nn.Module):
    def __init__(self, dim, context_dim):
        self.norm_kv = nn.LayerNorm(context_dim)
    def forward(self, x):
        return self.norm_kv(x)
class Net(nn.Module):
    def __init__(self, args):
        context = self.fourier.out_dim
        self.cross = Cross(args.latent, context)
    def forward(self, x, y):
        context = torch.cat([self.fourier(x), self.words(y)], dim=-1)
        return self.cross(context)
"""


def test_a_variable_that_is_passed_starts_with_more_where_more_is_joined() -> None:
    layer = attempt("LayerNorm", ("f32[4, 9, 47]",), "self.norm_kv", normalized_shape=(39,))
    layer = replace(layer, built=place(SUMS, "nn.LayerNorm(context_dim)"))
    calls = (place(SUMS, "self.cross(context)"),)
    found = edited(Failure("trace", "no", place(SUMS, "self.norm_kv(x)"), calls, layer=layer), SUMS)
    assert "context = self.fourier.out_dim + 8" in found[:3]


WINDOWS = """class Scale(nn.Module):
    def __init__(self, width, fn):
        scale = torch.zeros(1, 1, width).fill_(0.1)
        self.scale = nn.Parameter(scale)
        self.fn = fn
    def forward(self, x):
        return self.fn(x) * self.scale
class Windows(nn.Module):
    def __init__(self, dim, window):
        self.heads = dim // 8
        self.bias = nn.Embedding((2 * window - 1) ** 2, dim)
        self.scaled = Scale(window, nn.Identity())
        self.norm = nn.LayerNorm(dim)
    def forward(self, x, index):
        bias = self.bias(index)
        y = x + rearrange(bias, "i j h -> h i j")
        return self.scaled(y)
"""


def test_what_is_rearranged_has_the_features_of_what_made_it() -> None:
    part = 'x + rearrange(bias, "i j h -> h i j")'
    operation = attempt("torch.Tensor.add", ("f32[4, 2, 9, 9]", "f32[16, 9, 9]"))
    found = edited(Failure("trace", "no", place(WINDOWS, part), operation=operation), WINDOWS)
    assert "self.bias = nn.Embedding((2 * window - 1) ** 2, self.heads)" in found


def test_a_parameter_that_is_filled_first_has_the_size_that_is_passed() -> None:
    operation = attempt("torch.Tensor.mul", ("f32[2, 9, 64]", "f32[1, 1, 128]"))
    calls = (place(WINDOWS, "self.scaled(y)"),)
    failure = Failure("trace", "no", place(WINDOWS, "self.fn(x) * self.scale"), calls, operation=operation)
    assert "self.scaled = Scale(dim, nn.Identity())" in edited(failure, WINDOWS)


MAPS = """class Dice(nn.Module):
    def forward(self, logits, target):
        probs = logits.softmax(dim=1)
        onehot = F.one_hot(target, logits.size(1)).float()
        return (probs * onehot).sum()
class Keys(nn.Module):
    def forward(self, queries, keys):
        B, L, D = queries.shape
        return self.k(keys).view(B, L, 4, 8)
"""


def test_the_classes_of_one_hot_are_moved_to_those_of_the_predictions() -> None:
    operation = attempt("torch.Tensor.mul", ("f32[2, 6, 9, 9]", "f32[2, 9, 9, 6]"))
    found = edited(Failure("trace", "no", place(MAPS, "probs * onehot"), operation=operation), MAPS)
    assert "onehot = F.one_hot(target, logits.size(1)).movedim(-1, 1).float()" in found
    assert "return (probs * onehot.movedim(-1, 1)).sum()" in found[:1]


def test_what_is_viewed_as_fewer_steps_than_there_are_is_cut() -> None:
    part = "self.k(keys).view(B, L, 4, 8)"
    found = edited(
        Failure(
            "trace", "no", place(MAPS, part), operation=attempt("torch.Tensor.view", ("f32[2, 9, 32]", 2, 7, 4, 8))
        ),
        MAPS,
    )
    assert "return self.k(keys)[:, :L].view(B, L, 4, 8)" in found


FIELDS = """@dataclass
class Config:
    channels: int = 7
    steps: int = 96
    width: int = 32
class Decoder(nn.Module):
    def __init__(self, cfg):
        self.projection = nn.Conv1d(cfg.width, cfg.width, 3, padding=1)
    def forward(self, x, trend):
        part = self.projection(x.transpose(1, 2)).transpose(1, 2)
        return trend + part
"""


def test_a_field_of_the_configuration_has_the_size_that_fits() -> None:
    operation = attempt("torch.Tensor.add", ("f32[8, 72, 7]", "f32[8, 72, 32]"))
    found = edited(Failure("trace", "no", place(FIELDS, "trend + part"), operation=operation), FIELDS)
    assert "self.projection = nn.Conv1d(cfg.width, cfg.channels, 3, padding=1)" in found[:4]


@pytest.mark.parametrize(
    ("written", "rows", "wanted"),
    [("moves + tools", 12, "moves * tools"), ("moves", 6, "moves ** 2"), ("moves", 8, None), ("moves + 1", 12, None)],
)
def test_ids_of_pairs_have_a_row_for_each_pair(written: str, rows: int, wanted: str | None) -> None:
    text = f"""class Agent(nn.Module):
    def __init__(self, moves, tools):
        self.words = nn.Embedding({written}, 16)
    def forward(self, ids):
        return self.words(ids)
"""
    layer = attempt("Embedding", ("i64[4]",), "self.words", num_embeddings=rows, embedding_dim=16)
    layer = replace(layer, built=place(text, f"nn.Embedding({written}, 16)"))
    given = ("i64[4]", f"f32[{rows}, 16]", {"smallest": 0, "largest": 35})
    operation = attempt("torch.nn.functional.embedding", given)
    found = edited(Failure("trace", "no", place(text, "self.words(ids)"), operation=operation, layer=layer), text)
    assert found
    assert (found[0] == f"self.words = nn.Embedding({wanted}, 16)") is (wanted is not None)
