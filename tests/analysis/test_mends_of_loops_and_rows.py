"""Mends of what loops over layers pass on, of rows that are added or repeated, and of sums over the wrong dim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fx_lsp.model.failure import Failure
from tests.analysis.test_mends import attempt, edited, place

MODEL = """import torch
from torch import nn
from torch.nn import functional as F
class Block(nn.Module):
    def __init__(self, fed, made):
        super().__init__()
        self.norm = nn.GroupNorm(8, fed)
        self.conv = nn.Conv2d(fed, made, 1)

    def forward(self, x):
        return self.conv(self.norm(x))
class Net(nn.Module):
    table = ((8, 16, 1), (16, 24, 2))

    def __init__(self, dims, widths=None):
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        for d_in, d_out in zip(dims[:-1], dims[1:]):
            self.downs.append(nn.ModuleList([Block(d_in, d_out), nn.MaxPool2d(2)]))
        for d_in, d_out in zip(dims[:-1], dims[1:]):
            self.ups.append(nn.ModuleList([nn.Upsample(scale_factor=2), Block(d_out, d_in)]))
        self.width = self.table[-1][0]
        self.out = nn.Linear(self.width, 4)
        self.front = Front(6, 20)
        self.rnn = nn.GRU(self.front.size * 2, 32)
        self.mixing = nn.Parameter(torch.randn(latents, tasks))
        self.bn, self.bn1 = nn.BatchNorm2d(24), nn.BatchNorm1d(24)

    def forward(self, x):
        skips = []
        for block, pool in self.downs:
            skips.append(block(x))
            x = pool(skips[-1])
        for up, block in self.ups:
            x = block(torch.cat([up(x), skips.pop()], 1))
        return x

    def rates(self, mean):
        return mean.t() @ self.mixing.t()
class Front(nn.Module):
    def __init__(self, channels, mels):
        super().__init__()
        self.size = channels * (mels // 2)
def mean(x, rows, index, count):
    out = rows.new_zeros(count, rows.size(-1))
    return out.index_add_(0, index, rows)
def routed(states, index, rows):
    flat = states.view(-1, 64)
    final = torch.zeros_like(states)
    final.index_add_(0, index, rows)
    return final
class Model(nn.Module):
    def seen(self, x):
        return self.rnn(x)

    def last(self, x, n):
        pooled = x.view(-1, n, 64).mean(dim=2)
        return self.out(pooled)

    def normed(self, x):
        return self.bn(x)

    def embedded(self, x):
        return self.bn1(self.body(x))

    def step(self, x, sin, cos):
        return x * cos

    def many(self, x, table, n):
        for i in range(n):
            x = self.step(x, table.sin, table.cos)
        return x

    def masked(self, x, mask):
        return x.masked_fill(mask, 0.0)

    def guided(self, x, t, mask):
        return self.masked(x.repeat(2, 1, 1), mask)

    def attend(self, q, k):
        return q @ k.transpose(1, 2)

    def turned(self, x, pose):
        return x @ pose[:, :3].transpose(1, 2)

    def parts(self, x):
        q, k, v = self.qkv(x).split(self.heads, dim=2)
        return q, k, v

    def edges(self, left, right, edges):
        src, dst = edges
        return left[src] + right

    def patches(self, x):
        self.embed = nn.Sequential(Rearrange("b c (h p) (w q) -> b (p q c) (h w)", p=4, q=4), nn.Linear(48, 64))
        return self.embed(x)

    def sampled(self, x, b, n):
        grid = self.grid.reshape(b, 3 * n, 1, 2)
        return F.grid_sample(x, grid)
net = Net((8, 16))
"""


def _function(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(MODEL, one) for one in calls)
    return edited(Failure("trace", "no", place(MODEL, part), spans, operation=attempt(target, arguments)), MODEL)


def _layer(name: str, made: str, given: str, part: str, calls: tuple[str, ...] = (), **settings: Any) -> list[str]:
    layer = replace(attempt(name, (given,), part.partition("(")[0], **settings), built=place(MODEL, made))
    spans = tuple(place(MODEL, one) for one in calls)
    return edited(Failure("trace", "no", place(MODEL, part), spans, layer=layer), MODEL)


def test_of_two_loops_with_the_same_names_the_one_around_says_where_the_block_is_made() -> None:
    calls = ("block(torch.cat([up(x), skips.pop()], 1))",)
    settings: dict[str, Any] = {"num_groups": 8, "num_channels": 64}
    found = _layer("GroupNorm", "nn.GroupNorm(8, fed)", "f32[2, 128, 4, 4]", "self.norm(x)", calls, **settings)
    assert any("Block(2 * d_out, d_in)" in one for one in found)
    assert not any("self.downs.append(nn.ModuleList([Block(2 *" in one for one in found)


def test_a_size_that_is_an_entry_of_a_table_is_the_entry_beside_it() -> None:
    settings: dict[str, Any] = {"in_features": 16, "out_features": 4}
    found = _layer("Linear", "nn.Linear(self.width, 4)", "f32[2, 24]", "self.out(pooled)", **settings)
    assert "self.width = self.table[-1][1]" in found


def test_a_number_is_found_in_the_class_of_an_attribute() -> None:
    settings: dict[str, Any] = {"input_size": 120, "hidden_size": 32}
    found = _layer("GRU", "nn.GRU(self.front.size * 2, 32)", "f32[5, 2, 60]", "self.rnn(x)", **settings)
    assert "self.size = channels * (mels // 4)" in found


def test_the_sizes_of_a_matrix_that_is_turned_are_swapped() -> None:
    found = _function("mean.t() @ self.mixing.t()", "torch.matmul", "f32[32, 3]", "f32[4, 3]")
    assert any("torch.randn(tasks, latents)" in one for one in found[:4])


def test_what_rows_are_added_to_is_made_with_their_sizes() -> None:
    target = "torch.Tensor.index_add_"
    found = _function("out.index_add_(0, index, rows)", target, "f32[9, 4]", 0, "i64[50]", "f32[50, 8, 4]")
    assert "out = rows.new_zeros(count, *rows.shape[1:])" in found[:2]
    found = _function("final.index_add_(0, index, rows)", target, "f32[2, 7, 64]", 0, "i64[5]", "f32[5, 64]")
    assert "final = torch.zeros_like(flat)" in found[:2]


def test_features_that_were_summed_away_are_left_and_the_dim_before_is_summed() -> None:
    settings: dict[str, Any] = {"in_features": 64, "out_features": 4}
    found = _layer("Linear", "nn.Linear(self.width, 4)", "f32[2, 5]", "self.out(pooled)", **settings)
    assert found[0] == "pooled = x.view(-1, n, 64).mean(dim=1)"


def test_maps_with_their_features_in_dim_2_are_turned_for_a_normalisation_and_back() -> None:
    found = _layer("BatchNorm2d", "nn.BatchNorm2d(24)", "f32[4, 1, 24, 63]", "self.bn(x)", num_features=24)
    assert found[0] == "return self.bn(x.transpose(1, 2)).transpose(1, 2)"
    found = _layer("BatchNorm2d", "nn.BatchNorm2d(24)", "f32[4, 24, 63, 1]", "self.bn(x)", num_features=24)
    assert not any(".transpose(1, 2)).transpose(1, 2)" in one for one in found)


def test_a_batch_is_normalised_of_the_mean_of_its_sequences() -> None:
    found = _layer("BatchNorm1d", "nn.BatchNorm1d(24)", "f32[4, 8, 24]", "self.bn1(self.body(x))", num_features=24)
    assert "return self.bn1(self.body(x).mean(dim=1))" in found[:4]


def test_a_loop_passes_the_entries_of_its_round() -> None:
    found = _function("x * cos", "torch.Tensor.mul", "f32[1, 4, 16]", "f32[128, 16]",
                      calls=("self.step(x, table.sin, table.cos)",))  # fmt: skip
    assert "x = self.step(x, table.sin[i], table.cos[i])" in found[:4]


def test_what_is_given_once_is_repeated_as_what_is_given_beside_it() -> None:
    call = "self.masked(x.repeat(2, 1, 1), mask)"
    arguments = ("f32[4, 5, 5]", "b8[2, 1, 5]", 0.0)
    found = _function("x.masked_fill(mask, 0.0)", "torch.Tensor.masked_fill", *arguments, calls=(call,))
    assert "return self.masked(x.repeat(2, 1, 1), torch.cat([mask] * 2))" in found[:4]
    arguments = ("f32[6, 5, 5]", "b8[2, 1, 5]", 0.0)
    found = _function("x.masked_fill(mask, 0.0)", "torch.Tensor.masked_fill", *arguments, calls=(call,))
    assert not any("torch.cat([mask]" in one for one in found)


def test_the_last_two_dims_are_turned_where_others_are() -> None:
    found = _function("q @ k.transpose(1, 2)", "torch.matmul", "f32[3, 4, 32, 16]", "f32[3, 32, 4, 16]")
    assert found[0] == "return q @ k.transpose(-2, -1)"


def test_a_square_part_is_cut_in_both_dims() -> None:
    found = _function("x @ pose[:, :3].transpose(1, 2)", "torch.matmul", "f32[120, 3]", "f32[2, 4, 3]")
    assert found[0] == "return x @ pose[:, :3, :3].transpose(1, 2)"


def test_what_is_split_by_another_size_is_taken_apart_into_as_many_as_are_named() -> None:
    found = _function("q, k, v", "parts", ["f32[2, 5, 4]"] * 9, 3)
    assert "q, k, v = self.qkv(x).chunk(3, dim=2)" in found[:4]


def test_what_is_not_taken_at_places_is_taken_at_those_beside() -> None:
    found = _function("left[src] + right", "torch.Tensor.add", "f32[500, 8]", "f32[100, 8]")
    assert "return left[src] + right[dst]" in found[:3]
    found = _function("left[src] + right", "torch.Tensor.add", "f32[500, 8]", "f32[500, 4]")
    assert not any("right[dst]" in one for one in found)


def test_the_dims_of_an_entry_that_rearranges_are_turned() -> None:
    layer = attempt("Linear", ("f32[2, 48, 16]",), "self.embed[1]", in_features=48, out_features=64)
    layer = replace(layer, built=place(MODEL, "nn.Linear(48, 64)"))
    found = edited(Failure("trace", "no", place(MODEL, "self.embed(x)"), layer=layer), MODEL)
    assert any('"b c (h p) (w q) -> b (h w) (p q c)"' in one for one in found[:6])


def test_a_factor_of_the_second_size_of_a_view_belongs_to_the_batch() -> None:
    arguments = ("f32[6, 8, 32, 32]", "f32[2, 60, 1, 2]")
    found = _function("F.grid_sample(x, grid)", "torch.nn.functional.grid_sample", *arguments)
    assert "grid = self.grid.reshape(b * 3, n, 1, 2)" in found


DECODER = """from torch import nn
class Step(nn.Module):
    def __init__(self, fed, made):
        super().__init__()
        self.conv = nn.Conv2d(fed, made, 1)

    def forward(self, x):
        return self.conv(x)
class Decoder(nn.Module):
    def __init__(self, widths, flat):
        super().__init__()
        self.steps, width = nn.ModuleList(), widths[-1]
        for skip in widths:
            for _ in range(2):
                self.steps.append(Step(skip + width if flat else skip * 2, skip // 2))
                self.steps.append(nn.Identity())

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return x
"""


def test_a_size_in_a_sum_is_carried_on_after_the_layer_that_is_made() -> None:
    layer = attempt("Conv2d", ("f32[1, 24, 8, 8]",), "self.conv", in_channels=48, out_channels=8)
    layer = replace(layer, built=place(DECODER, "nn.Conv2d(fed, made, 1)"))
    failure = Failure("trace", "no", place(DECODER, "self.conv(x)"), (place(DECODER, "step(x)"),), layer=layer)
    found = edited(failure, DECODER)
    assert "width = skip // 2" in found[:12]
    assert not any("flat = " in one for one in found)
