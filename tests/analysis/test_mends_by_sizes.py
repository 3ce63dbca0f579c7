"""Mends by the sizes that there are: what is turned, flattened, exchanged, or made in another place."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Attempt, Failure
from tests.analysis.test_mends import attempt, edited, of_function, of_layer, place

ATTENTION = {"embed_dim": 8, "kdim": 8, "vdim": 8, "num_heads": 2, "batch_first": True}
LAYERS: list[tuple[str, str, tuple[Any, ...], dict[str, Any], str]] = [
    ("nn.MultiheadAttention(8, 2)", "self.layer(x, y, y)", ("f32[2, 5, 8]", *("f32[2, 8, 7]",) * 2), ATTENTION,
     "y = y.transpose(-2, -1)"),
    ("nn.MultiheadAttention(8, 2)", "self.layer(x, x, x, key_padding_mask=y)",
     (*("f32[2, 6, 8]",) * 3, {"key_padding_mask": "b8[2, 2, 3]"}), ATTENTION,
     "self.layer(x, x, x, key_padding_mask=y.flatten(1))"),
    ("nn.GRU(8, 4)", "self.layer(x, y)", ("f32[5, 2, 8]", "f32[2, 4]"), {"hidden_size": 4, "num_layers": 1},
     "self.layer(x, y.unsqueeze(0))"),
    ("nn.Linear(2, 4)", "self.layer(x)", ("f32[2, 7, 7]",), {"in_features": 2, "out_features": 4},
     "self.layer(x.flatten(1).transpose(0, 1))"),
]  # fmt: skip


@pytest.mark.parametrize(("built", "failing", "arguments", "settings", "wanted"), LAYERS, ids=lambda one: str(one)[:40])
def test_layers(built: str, failing: str, arguments: tuple[Any, ...], settings: dict[str, Any], wanted: str) -> None:
    assert wanted in of_layer(built, failing, *arguments, **settings)


def test_the_layer_for_a_batch_where_the_mask_has_it() -> None:
    settings = {**ATTENTION, "batch_first": False}
    given = (*("f32[2, 6, 8]",) * 3, {"key_padding_mask": "b8[2, 6]"})
    edits = of_layer("nn.MultiheadAttention(8, 2)", "self.layer(x, x, x, key_padding_mask=y)", *given, **settings)
    assert edits[0] == "nn.MultiheadAttention(8, 2, batch_first=True)"


FUNCTIONS: list[tuple[str, str, tuple[Any, ...], str]] = [
    ("F.interpolate(x, size=y)", "torch.nn.functional.interpolate", ("b8[2, 8, 8]", {"size": (4, 4)}),
     "F.interpolate(x.unsqueeze(1), size=y)"),
    ("z.scatter(1, x, y)", "torch.Tensor.scatter", ("f32[4, 8]", 1, "f32[4, 2]", "i64[4, 2]"), "z.scatter(1, y, x)"),
    ("z.index_add(1, x, y)", "torch.Tensor.index_add", ("f32[4, 8]", 1, "i64[9]", "f32[9, 8]"),
     "z.index_add(0, x, y)"),
]  # fmt: skip


@pytest.mark.parametrize(("failing", "target", "arguments", "wanted"), FUNCTIONS, ids=lambda one: str(one)[:40])
def test_functions(failing: str, target: str, arguments: tuple[Any, ...], wanted: str) -> None:
    assert of_function(failing, target, *arguments)[0] == wanted


TEXT = """class Decoder(nn.Module):
    def __init__(self, inner, outer):
        self.layer = nn.Linear(inner * 2 + 3, 4)

    def forward(self, x):
        self.state = self.cell(x)
        return torch.cat([x, self.state], -1)


def down(dim):
    return nn.Sequential(nn.Conv2d(dim * 2, dim, 1))


class Net(nn.Module):
    def __init__(self, tables):
        self.net = Decoder(16, 8)
        self.downs = nn.ModuleList([])
        for _ in range(2):
            self.downs.append(nn.ModuleList([nn.Conv2d(3, 8, 1), down(8)]))
        features = len(tables) + 2
        self.out = nn.Linear(features, 4)
        self.last = nn.Conv2d(tables, 8, 1)

    def forward(self, x):
        both = torch.cat([x, x], 1)
        y = self.out(both)
        for one, two in self.downs:
            y = two(y)
        return self.net(x)
"""


def _of(part: str, built: str, called: str, *arguments: str, **settings: Any) -> list[str]:
    target = "Conv2d" if "in_channels" in settings else built.partition("(")[0].rpartition(".")[2]
    made = attempt(target, arguments, called, **settings)
    layer = Attempt(made.target, made.arguments, called, made.settings, place(TEXT, built))
    return edited(Failure("trace", "no", place(TEXT, part), layer=layer), TEXT)


def test_numbers_in_each_others_place_that_a_sum_is_made_of() -> None:
    made = attempt("Linear", ("f32[2, 19]",), "self.layer", in_features=35, out_features=4)
    layer = Attempt("Linear", made.arguments, "self.layer", made.settings, place(TEXT, "nn.Linear(inner * 2 + 3, 4)"))
    text = TEXT.replace("return torch.cat([x, self.state], -1)", "return self.layer(x)")
    calls = (place(text, "self.net(x)"),)
    found = edited(Failure("trace", "no", place(text, "self.layer(x)"), calls=calls, layer=layer), text)
    assert "self.net = Decoder(8, 16)" in found


def test_a_sum_with_what_is_not_known() -> None:
    found = _of("self.out(both)", "nn.Linear(features, 4)", "self.out", "f32[2, 9]", in_features=8, out_features=4)
    assert "features = len(tables) + 3" in found
    assert "both = torch.stack([x, x], 1)" in found


def test_an_entry_of_a_list_that_is_added_is_made_by_a_function() -> None:
    sizes = {"in_channels": 16, "out_channels": 8, "kernel_size": (1, 1)}
    found = _of("two(y)", "nn.ModuleList([])", "self.downs[0][1][0]", "f32[2, 32, 9, 9]", **sizes)
    assert "return nn.Sequential(nn.Conv2d(4 * dim, dim, 1))" in found


def test_an_attribute_gets_other_dims_where_it_is_set() -> None:
    join = attempt("torch.cat", (["f32[2, 8]", "f32[2, 1, 8]"], -1))
    found = edited(Failure("trace", "no", place(TEXT, "torch.cat([x, self.state], -1)"), operation=join), TEXT)
    assert "self.state = self.cell(x).squeeze(1)" in found


def test_each_channel_by_itself() -> None:
    built = "nn.Conv2d(wide, wide, 3, groups=out)"
    text = f"class Net(nn.Module):\n    def __init__(self, wide, out):\n        self.layer = {built}\n"
    given = {"in_channels": 64, "out_channels": 64, "groups": 24}
    made = attempt("Conv2d", (given,))
    failure = Failure("construct", "no", place(text, built), operation=made)
    assert edited(failure, text)[0] == "self.layer = nn.Conv2d(wide, wide, 3, groups=wide)"
