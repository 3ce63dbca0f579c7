"""Mends of layers that got too much: a part that nothing asked for, a dim of 1 that is left, places beside features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fx_lsp.model.failure import Failure
from tests.analysis.test_mends import attempt, edited, place

PARTS = """import torch
from torch import nn
def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU())
class Up(nn.Module):
    def __init__(self, deep, skip, out):
        super().__init__()
        self.up = nn.ConvTranspose2d(deep, out, 2, 2)
        self.mix = block(out, out)

    def forward(self, x, skip):
        x = self.up(x)
        return self.mix(torch.cat([x, skip], dim=1))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = Features()
        self.fc = nn.Linear(16, 5)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        z = self.features(x).transpose(1, 2)
        y = x.mean(dim=1)
        return self.fc(z), self.head(y)
class Features(nn.Module):
    def forward(self, x):
        return x.squeeze(1)
"""


def _layer(part: str, built: str, target: str, shape: str, **settings: Any) -> list[str]:
    name = part.partition("(")[0]
    layer = replace(attempt(target, (shape,), name, **settings), built=place(PARTS, built))
    return edited(Failure("trace", "no", place(PARTS, part), layer=layer), PARTS)


def test_what_is_joined_has_a_size_that_nothing_uses_where_a_function_makes_the_layer() -> None:
    sizes = {"in_channels": 16, "out_channels": 16, "kernel_size": (3, 3), "padding": (1, 1)}
    built = "nn.Conv2d(cin, cout, 3, padding=1)"
    found = _layer("self.mix(torch.cat([x, skip], dim=1))", built, "Conv2d", "f32[2, 24, 8, 8]", **sizes)
    assert "self.mix = block(out + skip, out)" in found[:4]


def test_a_dim_of_1_is_left_by_a_squeeze_of_another_one() -> None:
    found = _layer("self.fc(z)", "nn.Linear(16, 5)", "Linear", "f32[4, 1, 16, 8]", in_features=16, out_features=5)
    assert "return x.squeeze(2)" in found[:4]


def test_a_mean_over_channels_is_one_over_both_dims_of_space() -> None:
    found = _layer("self.head(y)", "nn.Linear(16, 3)", "Linear", "f32[2, 12, 20]", in_features=16, out_features=3)
    assert "y = x.mean(dim=(2, 3))" in found


def _function(text: str, part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(text, one) for one in calls)
    operation = attempt(target, arguments)
    return edited(Failure("trace", "no", place(text, part), spans, operation=operation), text)


def _of_layer(text: str, part: str, built: str, target: str, shape: str, *calls: str, **settings: Any) -> list[str]:
    layer = replace(attempt(target, (shape,), part.partition("(")[0], **settings), built=place(text, built))
    spans = tuple(place(text, one) for one in calls)
    return edited(Failure("trace", "no", place(text, part), spans, layer=layer), text)


PLACES = """import torch
from torch import nn
class Encoder(nn.Module):
    def forward(self, images):
        return self.net(images).flatten(2)
class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.start = nn.Linear(size, 96)

    def forward(self, places):
        mean = places.mean(dim=1)
        return self.start(mean)
def step(first, second, images):
    return second(first(images))
def main():
    encoder, decoder = Encoder(), Decoder(128)
    return step(encoder, decoder, torch.rand(4, 3, 64, 64))
"""


def test_places_of_a_map_are_turned_where_they_are_flattened_in_a_model_that_a_function_is_given() -> None:
    calls = ("step(encoder, decoder, torch.rand(4, 3, 64, 64))", "second(first(images))")
    settings = {"in_features": 128, "out_features": 96}
    found = _of_layer(PLACES, "self.start(mean)", "nn.Linear(size, 96)", "Linear", "f32[4, 49]", *calls, **settings)
    assert found[0] == "return self.net(images).flatten(2).transpose(1, 2)"


TURNED = """import torch
from torch import nn
from torch.nn import functional as F
class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.BatchNorm1d(32)
        self.head = nn.Linear(cfg.dim // cfg.heads, 4)
        self.wide = nn.Linear(width * 4, 1)
        cos, sin = table(cfg.steps, cfg.dim)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)
        self.gru = nn.GRU(8, 32, batch_first=True, bidirectional=True)

    def forward(self, x, alpha, weight):
        h = self.norm(x)
        y = x * alpha.unsqueeze(2)
        z = x * weight.unsqueeze(1)
        r = x * self.cos
        states, last = self.gru(x)
        w = self.wide(torch.cat([x, last[-1]], dim=1))
        return F.cross_entropy(y.reshape(-1, 9), z.reshape(-1))
def collate(samples):
    xs, masks = [], []
    for one in samples:
        xs.append(F.pad(one, (0, 0, 0, longest - len(one))))
        masks.append(torch.ones(len(one)))
    return torch.stack(xs), torch.stack(masks)
"""


def test_a_norm_of_features_that_stand_last_is_given_them_in_dim_1_and_turned_back() -> None:
    found = _of_layer(TURNED, "self.norm(x)", "nn.BatchNorm1d(32)", "BatchNorm1d", "f32[4, 14, 32]", num_features=32)
    assert "h = self.norm(x.transpose(1, 2)).transpose(1, 2)" in found[:4]


def test_a_dim_of_1_too_much_is_not_given_and_at_another_place_it_is_given_there() -> None:
    multiply = "torch.Tensor.mul"
    found = _function(TURNED, "x * alpha.unsqueeze(2)", multiply, "f32[4, 49, 8]", "f32[4, 49, 1, 1]")
    assert found[0] == "y = x * alpha"
    found = _function(TURNED, "x * weight.unsqueeze(1)", multiply, "f32[6, 2, 64]", "f32[6, 1, 2]")
    assert found[0] == "z = x * weight.unsqueeze(-1)"


def test_a_table_is_made_of_what_is_computed_of_its_size_elsewhere() -> None:
    found = _function(TURNED, "x * self.cos", "torch.Tensor.mul", "f32[4, 6, 48, 8]", "f32[48, 48]")
    assert "cos, sin = table(cfg.steps, cfg.dim // cfg.heads)" in found


def test_a_product_of_maps_that_were_flattened_has_both_sides_more_and_no_sum() -> None:
    call, settings = "self.wide(torch.cat([x, last[-1]], dim=1))", {"in_features": 128, "out_features": 1}
    found = _of_layer(TURNED, call, "nn.Linear(width * 4, 1)", "Linear", "f32[6, 2048]", **settings)
    assert "self.wide = nn.Linear(width * 4 * 4 * 4, 1)" in found
    assert not any("+ 1920" in one for one in found)


def test_the_states_of_both_directions_are_joined() -> None:
    call, settings = "self.wide(torch.cat([x, last[-1]], dim=1))", {"in_features": 128, "out_features": 1}
    found = _of_layer(TURNED, call, "nn.Linear(width * 4, 1)", "Linear", "f32[6, 96]", **settings)
    assert "w = self.wide(torch.cat([x, torch.cat([last[-2], last[-1]], dim=-1)], dim=1))" in found


def test_all_steps_in_one_dim_are_one_fewer_for_each_sample() -> None:
    loss = "F.cross_entropy(y.reshape(-1, 9), z.reshape(-1))"
    found = _function(TURNED, loss, "torch.nn.functional.cross_entropy", "f32[44, 9]", "i64[48]")
    assert "return F.cross_entropy(y.reshape(-1, 9), z[:, 1:].reshape(-1))" in found
    found = _function(TURNED, loss, "torch.nn.functional.cross_entropy", "f32[44, 9]", "i64[49]")
    assert not any("z[:, 1:]" in one for one in found)


def test_what_is_stacked_is_padded_as_what_is_stacked_beside_it() -> None:
    found = _function(TURNED, "torch.stack(masks)", "torch.stack", ["f32[7]", "f32[11]", "f32[14]"])
    assert "masks.append(F.pad(torch.ones(len(one)), (0, longest - len(one))))" in found


SHORTER = """import torch
from torch import nn
import torch.nn.functional as F
class Causal(nn.Conv1d):
    def __init__(self, inp, out, kernel, dilation=1):
        super().__init__(inp, out, kernel, dilation=dilation)
        self.left = (kernel - 1) * dilation

    def forward(self, x):
        return super().forward(x)
class Padded(nn.Conv1d):
    def __init__(self, inp, out):
        super().__init__(inp, out, 3)

    def forward(self, x):
        return super().forward(F.pad(x, (2, 0)))
class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.causal = Causal(channels, channels, 3)
        self.mix = nn.Conv1d(channels, channels, 1)
        self.first = Padded(1, channels)

    def forward(self, x, wave):
        half, gate = self.causal(x).chunk(2, dim=1)
        y = self.mix(half * gate)
        z = self.first(wave)
        return x + self.causal(x)
"""


def test_a_padding_that_is_computed_and_not_read_is_put_at_the_start() -> None:
    found = _function(SHORTER, "x + self.causal(x)", "torch.Tensor.add", "f32[3, 24, 98]", "f32[3, 24, 96]")
    assert "return super().forward(F.pad(x, (self.left, 0)))" in found
    read = SHORTER.replace("super().forward(x)", "super().forward(x)[..., self.left:]")
    found = _function(read, "x + self.causal(x)", "torch.Tensor.add", "f32[3, 24, 98]", "f32[3, 24, 96]")
    assert not any("F.pad(x, (self.left" in one for one in found)


def test_a_class_that_is_a_layer_is_made_with_twice_as_many() -> None:
    sizes = {"in_channels": 24, "out_channels": 24, "kernel_size": (1,), "stride": (1,), "padding": (0,)}
    built, part = "nn.Conv1d(channels, channels, 1)", "self.mix(half * gate)"
    found = _of_layer(SHORTER, part, built, "Conv1d", "f32[3, 12, 98]", **sizes)
    assert "self.causal = Causal(channels, 2 * channels, 3)" in found


def test_what_is_padded_first_gets_its_dim_where_it_is_passed() -> None:
    sizes = {"in_channels": 1, "out_channels": 24, "kernel_size": (3,), "stride": (1,), "padding": (0,)}
    built, part = "super().__init__(inp, out, 3)", "super().forward(F.pad(x, (2, 0)))"
    found = _of_layer(SHORTER, part, built, "Padded", "f32[3, 102]", "self.first(wave)", **sizes)
    operation = attempt("torch.conv1d", ("f32[3, 102]", "f32[24, 1, 3]"))
    spans = (place(SHORTER, "self.first(wave)"),)
    found += edited(Failure("trace", "no", place(SHORTER, part), spans, operation=operation), SHORTER)
    assert "z = self.first(wave.unsqueeze(1))" in found


KERNELS = """import torch
from torch import nn
class Patches(nn.Module):
    def __init__(self, kernels, stride):
        super().__init__()
        self.convs = nn.ModuleList([])
        for kernel in kernels:
            self.convs.append(nn.Conv2d(3, 8, kernel, stride=stride))

    def forward(self, x):
        maps = [conv(x) for conv in self.convs]
        return torch.cat(maps, dim=1)
"""


def test_convolutions_with_different_kernels_are_padded_by_them() -> None:
    sizes = ["f32[1, 8, 56, 56]", "f32[1, 8, 55, 55]"]
    found = _function(KERNELS, "torch.cat(maps, dim=1)", "torch.cat", sizes, {"dim": 1})
    added = "self.convs.append(nn.Conv2d(3, 8, kernel, stride=stride, padding={}))"
    assert found[:2] == [added.format("(kernel - stride) // 2"), added.format("kernel // 2")]


BIASED = """import torch
from torch import nn
import torch.nn.functional as F
class Local(nn.Module):
    def __init__(self, dim, kernel):
        super().__init__()
        half = kernel // 2
        self.net = nn.Sequential(nn.Conv2d(dim, dim, kernel, padding=half), nn.GELU(), nn.Conv2d(dim, dim, kernel))

    def forward(self, x):
        return self.net(x)
class Net(nn.Module):
    def forward(self, x, scores, bias):
        bias = F.pad(bias, (1, 0), value=0)
        scores = scores + bias
        for layer in self.layers:
            x = layer(x) + x
        return x
"""


def test_of_two_convolutions_beside_each_other_both_are_padded() -> None:
    found = _function(BIASED, "layer(x) + x", "torch.Tensor.add", "f32[2, 8, 8, 8]", "f32[2, 8, 10, 10]")
    assert any("nn.GELU(), nn.Conv2d(dim, dim, kernel, padding=half))" in one for one in found)
    other = BIASED.replace("nn.GELU(), nn.Conv2d(dim, dim, kernel)", "nn.GELU(), nn.Conv2d(dim, dim, 1)")
    found = _function(other, "layer(x) + x", "torch.Tensor.add", "f32[2, 8, 8, 8]", "f32[2, 8, 10, 10]")
    assert not any("nn.Conv2d(dim, dim, 1, padding" in one for one in found)


def test_what_is_padded_in_one_dim_is_padded_in_the_one_before_too() -> None:
    found = _function(BIASED, "scores + bias", "torch.Tensor.add", "f32[8, 4, 50, 50]", "f32[1, 4, 49, 50]")
    assert "bias = F.pad(bias, (1, 0, 1, 0), value=0)" in found[:3]
    found = _function(BIASED, "scores + bias", "torch.Tensor.add", "f32[8, 4, 50, 50]", "f32[1, 4, 48, 50]")
    assert not any("(1, 0, 1, 0)" in one for one in found)


WIDE = """class Net(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.out = nn.Linear(dim, 8)

    def forward(self, x, target):
        y = self.out(x)
        return F.mse_loss(y, target)
"""


def test_what_a_layer_makes_is_made_as_wide_rather_than_repeated() -> None:
    found = _function(WIDE, "F.mse_loss(y, target)", "torch.nn.functional.mse_loss", "f32[2, 5, 8]", "f32[2, 5, 24]")
    wider = next(place for place, one in enumerate(found) if one.startswith("self.out = nn.Linear(dim, "))
    assert wider < next((place for place, one in enumerate(found) if "repeat(" in one), len(found))


def test_twice_as_many_is_written_as_a_product() -> None:
    text = WIDE.replace("nn.Linear(dim, 8)", "nn.Linear(dim, 8, bias=False)")
    settings = {"in_features": 100, "out_features": 8}
    found = _of_layer(text, "self.out(x)", "nn.Linear(dim, 8, bias=False)", "Linear", "f32[6, 200]", **settings)
    assert found.index("self.out = nn.Linear(2 * dim, 8, bias=False)") < 3


def test_the_sides_of_maps_are_others_where_a_product_of_numbers_has_them() -> None:
    text = WIDE.replace("nn.Linear(dim, 8)", "nn.Linear(256 * 6 * 6, 8)")
    settings = {"in_features": 256 * 36, "out_features": 8}
    found = _of_layer(text, "self.out(x)", "nn.Linear(256 * 6 * 6, 8)", "Linear", "f32[6, 12544]", **settings)
    assert found[0] == "self.out = nn.Linear(256 * 7 * 7, 8)"


ONE_WAY = """from torch import nn
from torch.nn.utils.rnn import pad_packed_sequence
class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.LSTM(8, hidden, batch_first=True)
        self.score = nn.Linear(2 * hidden, 1)

    def forward(self, packed):
        packed, state = self.rnn(packed)
        outputs, lengths = pad_packed_sequence(packed, batch_first=True)
        return self.score(outputs)
"""


def test_half_the_features_of_a_recurrent_layer_that_goes_one_way() -> None:
    wanted = "self.rnn = nn.LSTM(8, hidden, batch_first=True, bidirectional=True)"
    call, built = "self.score(outputs)", "nn.Linear(2 * hidden, 1)"
    settings = {"in_features": 32, "out_features": 1}
    assert wanted in _of_layer(ONE_WAY, call, built, "Linear", "f32[2, 5, 16]", **settings)
    assert wanted not in _of_layer(ONE_WAY, call, built, "Linear", "f32[2, 5, 20]", **settings)
    both = ONE_WAY.replace("(8, hidden,", "(8, hidden, bidirectional=False,")
    assert wanted not in _of_layer(both, call, built, "Linear", "f32[2, 5, 16]", **settings)


SHRUNK = """from torch import nn
def wide(inp, out, stride=1, dilation=1):
    return nn.Conv2d(inp, out, kernel_size=3, stride=stride, padding=0, dilation=dilation)
class Block(nn.Module):
    def __init__(self, layers, dim):
        super().__init__()
        self.layers = layers(wide(dim, dim))
        self.out = nn.Conv2d(dim, dim, 5, padding=2)

    def forward(self, x):
        y = self.layers(x)
        return x + y
"""


def test_the_padding_with_which_maps_keep_their_size() -> None:
    wanted = "return nn.Conv2d(inp, out, kernel_size=3, stride=stride, padding=dilation, dilation=dilation)"
    found = _function(SHRUNK, "x + y", "torch.Tensor.add", "f32[2, 8, 16, 16]", "f32[2, 8, 14, 14]")
    assert wanted in found
    assert not any("nn.Conv2d(dim, dim, 5" in one for one in found)
    for one, other in (("f32[2, 16]", "f32[2, 14]"), ("f32[2, 8, 16, 16]", "f32[2, 4, 16, 16]")):
        assert wanted not in _function(SHRUNK, "x + y", "torch.Tensor.add", one, other)


TABLE = """import torch
from torch import nn
class Places(nn.Module):
    def __init__(self, dim, steps):
        super().__init__()
        place = torch.arange(steps).unsqueeze(1)
        scale = torch.exp(torch.arange(0, dim) * 0.1)
        table = torch.zeros(steps, dim)
        table[:, 0::2] = torch.sin(place * scale)
"""


def test_a_range_takes_the_steps_of_the_places_that_are_set() -> None:
    index, wanted = (slice(None), slice(0, None, 2)), "scale = torch.exp(torch.arange(0, dim, 2) * 0.1)"
    part, target = "table[:, 0::2]", "torch.Tensor.__setitem__"
    assert wanted in _function(TABLE, part, target, "f32[9, 16]", index, "f32[9, 16]")
    assert wanted not in _function(TABLE, part, target, "f32[9, 16]", index, "f32[9, 7]")


FILLED = """import torch
def peaks(src, index, nodes):
    peak = torch.full((nodes,), float("-inf"))
    peak = peak.scatter_reduce(0, index, src, reduce="amax")
    return peak
"""


def test_what_is_filled_has_the_dims_of_what_it_is_filled_with() -> None:
    call, target = 'peak.scatter_reduce(0, index, src, reduce="amax")', "torch.Tensor.scatter_reduce"
    wanted = 'peak = torch.full((nodes, src.size(-1)), float("-inf"))'
    assert wanted in _function(FILLED, call, target, "f32[9]", 0, "i64[20, 4]", "f32[20, 4]")
    assert wanted not in _function(FILLED, call, target, "f32[9]", 0, "i64[20, 4, 2]", "f32[20, 4, 2]")
