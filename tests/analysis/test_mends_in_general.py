"""Mends that follow what is written: through names, functions, constructors and defaults; the most likely first."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.value import Group
from tests.analysis.test_mends import attempt, edited, of_function, of_layer, place, value

FUNCTIONS = [
    ("torch.cat([x, y], 1)", "torch.cat", (["f32[2, 9, 4, 4]", "f32[2, 5, 5, 5]"], 1), []),
    ("torch.cat([x, y], 1)", "torch.cat", (["f32[2, 1, 4]", "f32[2, 6, 8]"], 2),
     ["torch.cat([x.expand(-1, y.size(1), -1), y], 1)"]),
    ("torch.cat([x, y], 1)", "torch.cat", (["f32[2, 4]", "f32[3, 2, 8]"], 1), ["torch.cat([x, y[-1]], 1)"]),
    ("x + self.mask", "torch.Tensor.add", ("f32[2, 4, 9, 9]", "f32[1, 1, 16, 16]"),
     ["x + self.mask[:, :, :x.size(2), :x.size(3)]"]),
    ("x @ y.transpose(-2, -1)", "torch.Tensor.__matmul__", ("f32[2, 4, 9, 8]", "f32[2, 9, 8, 4]"),
     ["x @ y.transpose(1, 2).transpose(-2, -1)"]),
    ("1 - x", "torch.Tensor.__rsub__", ("b8[2, 3]", 1), ["~x", "1 - x.float()"]),
    ("-x", "torch.Tensor.neg", ("b8[2, 3]",), []),
    ("torch.where(x, y, 0)", "torch.where", ("f32[2]", "f32[2]", 0), ["torch.where(x.bool(), y, 0)"]),
    ("x.masked_fill(y, 0)", "torch.Tensor.masked_fill", ("f32[2]", "i64[2]", 0), ["x.masked_fill(y.bool(), 0)"]),
    ("x.gather(1, y)", "torch.Tensor.gather", ("f32[2, 3, 8]", 1, "i64[2, 3]"),
     ["x.gather(1, y.unsqueeze(-1).expand(-1, -1, x.size(-1)))"]),
    ("x.gather(1, y.float())", "torch.Tensor.gather", ("f32[2, 3]", 1, "f32[2, 3]"),
     ["x.gather(1, y)", "x.gather(1, y.float().long())"]),
    ("x.index_add(0, y, x)", "torch.Tensor.index_add", ("f32[4, 8]", 0, "i64[3, 1]", "f32[3, 8]"),
     ["x.index_add(0, y.squeeze(-1), x)"]),
    ("x.expand(-1, 8)", "torch.Tensor.expand", ("f32[2, 1, 1]", -1, 8),
     ["x.expand(-1, -1, 8)", "x.expand(-1, 8, -1)"]),
    ("y.expand_as(x)", "torch.Tensor.expand_as", ("f32[2]", "f32[2, 3]"), ["y.unsqueeze(-1).expand_as(x)"]),
    ("x.repeat(1, 4)", "torch.Tensor.repeat", ("f32[2, 1, 8]", 1, 4),
     ["x.repeat(1, 1, 4)", "x.repeat(1, 4, 1)"]),
    ('F.interpolate(x, None, 2, "linear")', "torch.nn.functional.interpolate", ("f32[2, 3, 8, 8]", None, 2, "linear"),
     ['F.interpolate(x, None, 2, "bilinear")', 'F.interpolate(x, None, 2, "bicubic")']),
    ("F.interpolate(x, y.shape[1:])", "torch.nn.functional.interpolate", ("f32[2, 3, 8, 8]", (3, 4, 4)),
     ["F.interpolate(x, y.shape[-2:])"]),
    ("F.interpolate(x, y.shape)", "torch.nn.functional.interpolate", ("f32[2, 3, 8, 8]", (2, 3, 4, 4)),
     ["F.interpolate(x, y.shape[2:])"]),
    ('F.pad(x, (1, 1), "reflect")', "torch.nn.functional.pad", ("f32[2, 3, 8, 8]", (1, 1), "reflect"),
     ['F.pad(x, (1, 1, 1, 1), "reflect")']),
    ('rearrange(x, "b c (h w) -> b (h w) c")', "rearrange", ("f32[2, 3, 4, 4]", "b c (h w) -> b (h w) c"),
     ['rearrange(x, "b c h w -> b (h w) c")']),
    ("x[t]", "torch.Tensor.__setitem__", ("f32[5, 9, 4]", 3, "f32[5, 4]"), ["x[:, t]"]),
]  # fmt: skip


@pytest.mark.parametrize(("failing", "target", "arguments", "first"), FUNCTIONS, ids=lambda one: str(one)[:40])
def test_functions(failing: str, target: str, arguments: tuple[Any, ...], first: list[str]) -> None:
    assert of_function(failing, target, *arguments)[: max(len(first), 1)] == first


def test_axes_that_are_named_in_another_order() -> None:
    pattern = "b (h p) w c -> b h (p w c)"
    found = of_function(f'rearrange(x, "{pattern}", p=4)', "rearrange", "f32[2, 3, 8, 8]", pattern, {"p": 4})
    assert 'rearrange(x, "b c (h p) w -> b h (p w c)", p=4)' in found


LAYERS = [
    ("nn.Bilinear(8, 4, inner)", "self.layer(x, y)", ("f32[2, 8]", "f32[2, 5]"),
     {"in1_features": 8, "in2_features": 4}, "nn.Bilinear(8, 5, inner)"),
    ("nn.GRUCell(8, 4)", "self.layer(x, y)", ("f32[2, 8]", "f32[2, 6]"), {"hidden_size": 4}, "nn.GRUCell(8, 6)"),
    ("nn.LSTM(8, 4)", "self.layer(x, y)", ("f32[5, 2, 8]", "f32[2, 2, 4]"), {"hidden_size": 4, "num_layers": 1},
     "nn.LSTM(8, 4, bidirectional=True)"),
    ("nn.GRU(8, 4)", "self.layer(x, y)", ("f32[2, 5, 8]", "f32[1, 2, 4]"), {"hidden_size": 4, "num_layers": 1},
     "nn.GRU(8, 4, batch_first=True)"),
    ("nn.Conv2d(3, 4, 1)", "self.layer(x)", ("f32[5, 3, 20]",), {"in_channels": 3}, "nn.Conv1d(3, 4, 1)"),
    ("nn.AvgPool2d(16)", "self.layer(x)", ("f32[2, 3, 8, 8]",), {"kernel_size": 16}, "nn.AvgPool2d(8)"),
    ("nn.Conv1d(3, 4, 5)", "self.layer(x)", ("f32[2, 3, 4]",), {"kernel_size": (5,)},
     "nn.Conv1d(3, 4, 5, padding=2)"),
    ("nn.MaxPool2d(inner, stride=1)", "self.layer(x)", ("f32[2, 3, 6, 6]",), {"kernel_size": 7, "stride": 1},
     "nn.MaxPool2d(inner, stride=1, padding=inner // 2)"),
    ("nn.MaxPool1d(7, stride=1)", "self.layer(x)", ("f32[2, 3, 6]",), {"kernel_size": 7, "stride": 1},
     "nn.MaxPool1d(7, stride=1, padding=3)"),
    ('Rearrange("b (h p) (w q) c -> b (h w) (p q c)", p=4, q=4)', "self.layer(x)", ("f32[2, 3, 8, 8]",),
     {"pattern": "b (h p) (w q) c -> b (h w) (p q c)", "axes_lengths": {"p": 4, "q": 4}},
     'Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)'),
    ("nn.MultiheadAttention(8, 2)", "self.layer(x, x, x, attn_mask=y)",
     (*("f32[5, 2, 8]",) * 3, {"attn_mask": "b8[2, 5]"}),
     {"embed_dim": 8, "kdim": 8, "vdim": 8, "num_heads": 2}, "self.layer(x, x, x, key_padding_mask=y)"),
]  # fmt: skip


@pytest.mark.parametrize(("built", "failing", "arguments", "settings", "wanted"), LAYERS, ids=lambda one: str(one)[:40])
def test_layers(built: str, failing: str, arguments: tuple[Any, ...], settings: dict[str, Any], wanted: str) -> None:
    assert wanted in of_layer(built, failing, *arguments, **settings)


TEXT = """import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self, width, groups=8, places=10):
        self.norm = nn.GroupNorm(groups, width)
        self.places = nn.Embedding(places, 4)
        size = 3
        self.fc = nn.Linear(size, 4)
        self.att = nn.Conv2d(3, width, 1)

    def forward(self, x, skip):
        a, b = x.chunk(3, dim=-1)
        out, h, c = self.lstm(x)
        y, z = self.both(x).t()
        n, t, d = x.shape
        cos, sin = x.cos()[None, None, :], x.sin()[None, None, :]
        x = x * cos
        v = x.view(-1, 4, 4)
        w = self.fc(v)
        k = torch.cat([x, skip], 1)
        return self.drpout(k)
"""


def _edited(part: str, target: str, *arguments: Any, layer: Attempt | None = None, **named: Any) -> list[str]:
    given = (*arguments, named) if named else arguments
    return edited(Failure("trace", "no", place(TEXT, part), operation=attempt(target, given), layer=layer), TEXT)


def test_a_number_is_changed_where_it_is_the_default() -> None:
    found = _edited("nn.GroupNorm(groups, width)", "GroupNorm", num_groups=8, num_channels=20)
    assert found == [
        "def __init__(self, width, groups=10, places=10):",
        "self.norm = nn.GroupNorm(10, width)",
        "def __init__(self, width, groups=5, places=10):",
        "self.norm = nn.GroupNorm(5, width)",
        "self.norm = nn.GroupNorm(groups, 16)",
        "self.norm = nn.GroupNorm(groups, 24)",
    ]


def test_an_embedding_is_made_with_as_many_rows_as_are_asked_for() -> None:
    text = TEXT.replace("self.fc(v)", "self.places(v)")
    layer = Attempt("Embedding", (Argument("0", value("i64[12]")),), "self.places",
                    (Argument("num_embeddings", value(10)),), place(text, "nn.Embedding(places, 4)"))  # fmt: skip
    lookup = attempt("torch.nn.functional.embedding", ("i64[12]", "f32[10, 4]", {"smallest": 0, "largest": 11}))
    found = edited(Failure("trace", "no", place(text, "self.places(v)"), operation=lookup, layer=layer), text)
    assert found == ["def __init__(self, width, groups=8, places=12):", "self.places = nn.Embedding(12, 4)"]


@pytest.mark.parametrize(
    ("part", "given", "count", "wanted"),
    [("a, b", ["f32[2, 2]"] * 3, 2, ["a, b = x.chunk(2, dim=-1)", "a, b, _ = x.chunk(3, dim=-1)"]),
     ("y, z", "f32[5, 2]", 2, ["y, z = self.both(x).t().unbind(-1)"])],
)  # fmt: skip
def test_as_many_results_as_names(part: str, given: Any, count: int, wanted: list[str]) -> None:
    assert _edited(part, "parts", given, count)[: len(wanted)] == wanted


def test_a_group_among_the_results_is_unpacked_too() -> None:
    both = Group("tuple", (value("f32[2, 5, 8]"), Group("tuple", (value("f32[1, 2, 8]"), value("f32[1, 2, 8]")))))
    parts = Attempt("parts", (Argument("0", both), Argument("1", value(3))))
    found = edited(Failure("trace", "no", place(TEXT, "out, h, c"), operation=parts), TEXT)
    assert found == ["out, (h, c) = self.lstm(x)"]


def test_names_that_nothing_reads_are_left_out() -> None:
    text = "def f(self, x):\n    y, _, _ = self.gru(x)\n    return y\n"
    parts = Attempt("parts", (Argument("0", value(["f32[2, 3]", "f32[2]"])), Argument("1", value(3))))
    assert edited(Failure("trace", "no", place(text, "y, _, _"), operation=parts), text) == ["y, _ = self.gru(x)"]


def test_a_dim_that_a_reduction_left_is_taken_away_before_sizes_are_unpacked() -> None:
    unpack = Attempt("unpack", (Argument("0", value("f32[2, 3, 8, 1]"), "x"), Argument("1", value(3))))
    found = edited(Failure("trace", "no", place(TEXT, "n, t, d"), operation=unpack), TEXT)
    assert found[0] == "x = x.squeeze(-1)"


def test_dims_of_1_are_put_elsewhere_in_all_that_was_bound_together() -> None:
    found = _edited("x * cos", "torch.Tensor.mul", "f32[2, 9, 4, 8]", "f32[1, 1, 9]")
    assert not any("None, :, None" in one for one in found), "which would not fit either"
    found = _edited("x * cos", "torch.Tensor.mul", "f32[9, 4, 8]", "f32[1, 1, 9]")
    assert "cos, sin = x.cos()[:, None, None], x.sin()[:, None, None]" in found


def test_what_is_bound_together_is_cut_together() -> None:
    text = "def f(x, a, b):\n    cos, sin = a[None], b[None]\n    y = x * cos\n    return y, cos, sin\n"
    failure = Failure("trace", "", place(text, "x * cos"), operation=attempt("mul", ("f32[2, 5, 8]", "f32[1, 9, 8]")))
    cut = "cos[:, :x.size(1)]"
    assert edited(failure, text)[:3] == [
        f"y = x * {cut}",
        f"cos, sin = {cut}, {cut.replace('cos', 'sin')}",
        f"cos = {cut}",
    ]


def test_a_layer_gets_what_was_viewed_with_its_size() -> None:
    layer = attempt("Linear", ("f32[8, 4, 4]",), "self.fc", in_features=2, out_features=4)
    failure = Failure("trace", "no", place(TEXT, "self.fc(v)"), layer=layer)
    assert "v = x.view(-1, 4, 2)" in edited(failure, TEXT)


def test_a_variable_starts_with_another_size() -> None:
    layer = attempt("Linear", ("f32[8, 4, 4]",), "self.fc", in_features=3, out_features=4)
    layer = Attempt("Linear", layer.arguments, "self.fc", layer.settings, place(TEXT, "nn.Linear(size, 4)"))
    assert "size = 4" in edited(Failure("trace", "no", place(TEXT, "self.fc(v)"), layer=layer), TEXT)


def test_one_picture_is_resized_to_the_other() -> None:
    found = _edited("torch.cat([x, skip], 1)", "torch.cat", ["f32[2, 9, 4, 4]", "f32[2, 5, 5, 5]"], 1)
    assert "k = torch.cat([F.interpolate(x, size=skip.shape[2:]), skip], 1)" in found


def test_the_name_that_is_much_like_it() -> None:
    missing = Attempt("attribute", (Argument("0", value("Net"), "self"), Argument("1", value("drpout")),
                                    Argument("near", value(("dropout", "drop")))), "drpout")  # fmt: skip
    found = edited(Failure("trace", "no", place(TEXT, "self.drpout"), operation=missing), TEXT)
    assert found == ["return self.dropout(k)", "return self.drop(k)"]


def test_a_module_is_initialised_first() -> None:
    start = Attempt("initialisation", (Argument("0", value(_Name("Net"))),))
    found = edited(Failure("construct", "no", place(TEXT, "self.norm"), operation=start), TEXT)
    assert found == ["super().__init__()"]


def test_over_other_dims() -> None:
    found = of_function("x + y.sum(dim=(1, 2))", "torch.Tensor.add", "f32[2, 3]", "f32[2, 8]")
    assert "x + y.sum(dim=(2, 3))" in found
    found = of_function("x + y.mean(1)", "torch.Tensor.add", "f32[2, 3, 5]", "f32[2, 3, 8]")
    assert "x + y.mean(-1)" in found


def test_variables_that_are_called_alike() -> None:
    text = "def f(x1, x2, x3):\n    y = x1 + x3\n    x4 = y\n    return x4\n"
    failure = Failure("trace", "", place(text, "x1 + x3"), operation=attempt("add", ("f32[2, 5]", "f32[2, 9]")))
    assert edited(failure, text)[-4:] == ["y = x2 + x3", "y = x3 + x3", "y = x1 + x2", "y = x1 + x1"]


def test_a_size_that_was_computed_and_not_used() -> None:
    text = "class Net(nn.Module):\n    def __init__(self, size, dim):\n        whole = 3 * size\n" \
        "        self.fc = nn.Linear(size, dim)\n    def forward(self, x):\n        return self.fc(x)\n"  # fmt: skip
    layer = attempt("Linear", ("f32[2, 48]",), "self.fc", in_features=16, out_features=8)
    layer = Attempt("Linear", layer.arguments, layer.called, layer.settings, place(text, "nn.Linear(size, dim)"))
    found = edited(Failure("trace", "no", place(text, "self.fc(x)"), layer=layer), text)
    assert found[0] == "self.fc = nn.Linear(whole, dim)"


def test_a_table_that_is_too_short() -> None:
    text = "class Places(nn.Module):\n    def __init__(self, dim, longest=10):\n" \
        "        table = torch.zeros(1, longest, dim)\n        self.register_buffer('table', table)\n" \
        "    def forward(self, x):\n        return x + self.table[:, : x.size(1)]\n"  # fmt: skip
    failing = "x + self.table[:, : x.size(1)]"
    failure = Failure("trace", "", place(text, failing), operation=attempt("add", ("f32[2, 13, 8]", "f32[1, 10, 8]")))
    assert "def __init__(self, dim, longest=13):" in edited(failure, text)


def test_the_layer_of_a_sequence_that_a_function_makes() -> None:
    text = "def block(a, b):\n    return nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(a, b))\n" \
        "class Net(nn.Module):\n    def __init__(self):\n        self.net = block(3, 5)\n" \
        "    def forward(self, x):\n        return self.net(x)\n"  # fmt: skip
    layer = attempt("Linear", ("f32[2, 5]",), "self.net[2]", in_features=3, out_features=5)
    layer = Attempt("Linear", layer.arguments, layer.called, layer.settings, place(text, "block(3, 5)"))
    found = edited(Failure("trace", "no", place(text, "self.net(x)"), layer=layer), text)
    assert found[0] == "return nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, b))"


class _Name(str):
    """Written without quotes, as the name of a type is."""

    def __repr__(self) -> str:
        return str(self)
