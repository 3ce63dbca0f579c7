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


FORGOTTEN = """import torch
from torch import nn
from torch.nn import functional as F
class Angles(nn.Module):
    def forward(self, steps):
        angles = torch.outer(torch.arange(steps), self.rates)
        return angles
class Turn(nn.Module):
    def __init__(self):
        super().__init__()
        self.angles = Angles()

    def forward(self, x):
        angles = self.angles(x.shape[-2])
        return x * angles.cos()
class Low(nn.Module):
    def __init__(self, length, rank):
        super().__init__()
        self.down_k = nn.Parameter(torch.zeros(rank, length))
        self.down_v = nn.Parameter(torch.zeros(length, rank))
        self.up_k, self.other = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, *given):
        return torch.einsum('bnd,nk->bkd', *given)
class Mix(nn.Module):
    def forward(self, x):
        spectrum, extra = self.split(x)
        spectrum = spectrum.transpose(1, 2)
        first = extra[:, :, :8]
        return torch.cat([spectrum, first], dim=-1)
class Both(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn = nn.GRU(width, width, batch_first=True)

    def forward(self, x):
        y, _ = self.rnn(x)
        return y[..., : self.width] + y[..., self.width :]
class Sources(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x):
        y = self.out(x).relu()
        return y.view(x.size(0), self.count, self.width, -1)
class Net(nn.Module):
    def __init__(self, bands, extra, width):
        super().__init__()
        self.fc = nn.Linear(bands + extra, width)
        self.gate = nn.Linear(bands, bands * 3)

    def forward(self, x, y):
        return self.fc(x), self.gate(x) * y
net = Net(bands=40, extra=8, width=64)
"""


def _forgotten(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(FORGOTTEN, one) for one in calls)
    failure = Failure("trace", "no", place(FORGOTTEN, part), spans, operation=attempt(target, arguments))
    return edited(failure, FORGOTTEN)


def test_angles_are_joined_with_themselves_for_all_features() -> None:
    found = _forgotten("x * angles.cos()", "torch.Tensor.mul", "f32[2, 9, 16]", "f32[9, 8]")
    assert "angles = torch.cat((angles, angles), dim=-1)" in found[:2]


def test_of_attributes_called_alike_one_has_its_sizes_in_the_order_of_the_other() -> None:
    arguments = ("bnd,nk->bkd", "f32[2, 9, 16]", "f32[4, 9]")
    found = _forgotten("torch.einsum('bnd,nk->bkd', *given)", "torch.einsum", *arguments)
    assert "self.down_k = nn.Parameter(torch.zeros(length, rank))" in found[:4]


def test_of_variables_unpacked_together_both_are_turned() -> None:
    found = _forgotten(
        "torch.cat([spectrum, first], dim=-1)", "torch.cat", ["f32[2, 9, 4]", "f32[2, 16, 8]"], {"dim": -1}
    )
    assert "extra = extra.transpose(1, 2)" in found[:4]


def test_the_features_of_the_other_direction_are_those_of_a_layer_that_goes_in_both() -> None:
    part = "y[..., : self.width] + y[..., self.width :]"
    found = _forgotten(part, "torch.Tensor.add", "f32[2, 9, 16]", "f32[2, 9, 0]")
    assert "self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)" in found[:3]


def test_what_a_view_leaves_open_last_is_the_last_dim_as_it_is() -> None:
    arguments = ("f32[2, 16, 9]", 2, 3, 16, -1)
    found = _forgotten("y.view(x.size(0), self.count, self.width, -1)", "torch.Tensor.view", *arguments)
    assert "self.out = nn.Conv1d(width, 3 * width, 1)" in found


def test_a_sum_of_sizes_lacks_a_few() -> None:
    layer = replace(attempt("Linear", ("f32[2, 49]",), "self.fc", in_features=48, out_features=64),
                    built=place(FORGOTTEN, "nn.Linear(bands + extra, width)"))  # fmt: skip
    found = edited(Failure("trace", "no", place(FORGOTTEN, "self.fc(x)"), layer=layer), FORGOTTEN)
    assert "self.fc = nn.Linear(bands + extra + 1, width)" in found[:3]


def test_a_parameter_that_is_passed_the_size_comes_before_one_that_is_not() -> None:
    found = _forgotten("self.gate(x) * y", "torch.Tensor.mul", "f32[2, 120]", "f32[2, 64]")
    made = [one for one in found if one.startswith("self.gate = ")]
    assert made[0] == "self.gate = nn.Linear(bands, width)"


GIVEN = """import torch
from einops import repeat
from torch import nn
from torch.nn import functional as F
class Slots(nn.Module):
    def forward(self, x):
        b, n, k = *x.shape[:2], self.slots
        mean = repeat(self.mean, 'd -> b k d', b=b, k=k)
        spread = repeat(self.spread.exp(), 'd -> b k d', b=b, k=n)
        return mean + spread * torch.randn_like(mean)
class Attend(nn.Module):
    def forward(self, q, k, first, keep=None):
        k = torch.cat((first, k), dim=1)
        scores = q @ k.transpose(1, 2)
        return scores.masked_fill_(~keep, -1e9).softmax(-1)
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = Attend()

    def forward(self, q, k, first, keep):
        keys = repeat(keep, 'b n -> (b h) 1 n', h=4)
        return self.attend(q, k, first, keep=keys)
"""


def _given(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(GIVEN, one) for one in calls)
    return edited(Failure("trace", "no", place(GIVEN, part), spans, operation=attempt(target, arguments)), GIVEN)


def test_a_keyword_is_that_of_the_variable_made_alike() -> None:
    part = "spread * torch.randn_like(mean)"
    found = _given(part, "torch.Tensor.mul", "f32[2, 50, 16]", "f32[2, 5, 16]")
    assert "spread = repeat(self.spread.exp(), 'd -> b k d', b=b, k=k)" in found[:6]


def test_a_mask_is_padded_where_it_is_made() -> None:
    calls = ("self.attend(q, k, first, keep=keys)",)
    arguments = ("f32[8, 3, 21]", "b8[8, 1, 20]", -1e9)
    found = _given("scores.masked_fill_(~keep, -1e9)", "torch.Tensor.masked_fill_", *arguments, calls=calls)
    assert "keys = F.pad(repeat(keep, 'b n -> (b h) 1 n', h=4), (1, 0), value=True)" in found[:6]


def test_a_batch_that_goes_into_another_one_is_repeated_row_by_row() -> None:
    found = _given("torch.cat((first, k), dim=1)", "torch.cat", ["f32[8, 1, 16]", "f32[32, 20, 16]"], {"dim": 1})
    assert "k = torch.cat((first.repeat_interleave(k.size(0) // first.size(0), dim=0), k), dim=1)" in found[:3]


def test_a_layer_is_not_run_again_to_count_its_rows() -> None:
    part = "torch.cat((self.mix(first), self.mix(k)), dim=1)"
    text = GIVEN.replace("torch.cat((first, k), dim=1)", part)
    given = attempt("torch.cat", [["f32[8, 1, 16]", "f32[32, 20, 16]"], {"dim": 1}])
    found = edited(Failure("trace", "no", place(text, part), (), operation=given), text)
    wanted = "self.mix(first).repeat_interleave(k.size(0) // first.size(0), dim=0)"
    assert f"k = torch.cat(({wanted}, self.mix(k)), dim=1)" in found[:3]


ORDERS = """import torch
def pairs(count):
    places = torch.arange(count).expand(-1, 2)
    return places
def table(width, steps):
    waves = torch.zeros(width, steps)
    waves[:, 0::2] = torch.sin(angles(steps, width))
    return waves
def balance(mask, probs):
    load = mask.float().mean(dim=0)
    share = probs.mean(dim=-1)
    return (load * share).sum()
"""


def _ordered(part: str, target: str, *arguments: Any) -> list[str]:
    return edited(Failure("trace", "no", place(ORDERS, part), operation=attempt(target, arguments)), ORDERS)


def test_what_an_expansion_keeps_stands_where_its_neighbour_belongs() -> None:
    found = _ordered("torch.arange(count).expand(-1, 2)", "torch.Tensor.expand", "i64[30]", -1, 2)
    assert found[0] == "places = torch.arange(count).expand(2, -1)"


def test_a_table_that_is_filled_has_its_sizes_in_the_other_order() -> None:
    found = _ordered(
        "waves[:, 0::2]", "torch.Tensor.__setitem__", "f32[16, 40]", (slice(None), slice(0, None, 2)), "f32[40, 8]"
    )
    assert "waves = torch.zeros(steps, width)" in found


def test_of_two_means_over_other_dims_both_are_over_the_same() -> None:
    found = _ordered("load * share", "torch.Tensor.mul", "f32[4]", "f32[30]")
    assert found[:2] == ["share = probs.mean(dim=0)", "load = mask.float().mean(dim=-1)"]
