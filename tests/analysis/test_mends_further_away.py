"""Mends elsewhere than at the call that fails: numbers that a size comes from, and layers that are followed further."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Attempt, Failure
from fx_lsp.model.span import Span
from tests.analysis.test_mends import attempt, edited, of_function, place

CONFIGURED = """from dataclasses import dataclass
SIZES = {{"width": 32, "other": 5}}
HEADS = dict(heads=3)
@dataclass
class Config:
    width: int = 32
class Encoder(nn.Module):
    def __init__(self, dim=32):
        self.dim, self.depth = dim, 2

    @property
    def width(self):
        return self.dim
class Net(nn.Module):
    def __init__(self, config, widths=(8, 32), wide=True):
        self.encoder = Encoder()
        self.out = 16 if wide else 32
        for width in widths:
            last = width
        self.layer = nn.Linear({written}, 4)

    def forward(self, x):
        return self.layer(x)
"""
WRITTEN = [
    ('config["width"]', 'SIZES = {"width": 20, "other": 5}'),
    ("config.width", "width: int = 20"),
    ("self.encoder.width", "def __init__(self, dim=20):"),
    ("self.out", "self.out = 16 if wide else 20"),
    ("last", "def __init__(self, config, widths=(8, 20), wide=True):"),
    ("widths[-1]", "def __init__(self, config, widths=(8, 20), wide=True):"),
    ("config.width + 16", "width: int = 4"),
]


@pytest.mark.parametrize(("written", "wanted"), WRITTEN)
def test_the_number_that_a_size_comes_from(written: str, wanted: str) -> None:
    text = CONFIGURED.format(written=written)
    size = 48 if "+" in written else 32
    failure = _of_layer(text, f"nn.Linear({written}, 4)", "self.layer(x)", "f32[2, 20]", in_features=size)
    assert wanted in edited(failure, text)


def test_heads_that_are_written_elsewhere() -> None:
    text = """class Net(nn.Module):
    def __init__(self, dim=16, heads=3):
        self.dim, self.heads = dim, heads

    def forward(self, x):
        return x.view(2, 7, self.heads, 4)
"""
    view = attempt("torch.Tensor.view", ("f32[2, 7, 16]", 2, 7, 3, 4))
    found = edited(Failure("trace", "no", place(text, "x.view(2, 7, self.heads, 4)"), operation=view), text)
    assert "def __init__(self, dim=16, heads=4):" in found


def test_another_field_of_what_an_attribute_starts_with() -> None:
    text = """class Net(nn.Module):
    def __init__(self, sizes):
        self.width = sizes["pyramid"]
        self.stem = nn.Linear(3, sizes["stem"])
        self.layer = nn.Linear(self.width, 4)

    def forward(self, x):
        return self.layer(x)
"""
    failure = _of_layer(text, "nn.Linear(self.width, 4)", "self.layer(x)", "f32[2, 20]", in_features=32)
    assert 'self.width = sizes["stem"]'.replace('"', "'") in [one.replace('"', "'") for one in edited(failure, text)]


LOOP = """def block(a, b, s=1):
    return nn.Sequential(nn.Conv2d(a, b, 3, s), nn.ReLU())
class Merge(nn.Module):
    def __init__(self, dim):
        self.reduce = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return self.reduce(x)
class Block(nn.Module):
    def __init__(self, dim, stride=1):
        self.norm = nn.LayerNorm(dim)
        self.conv = block(dim, dim, 2)
        self.short = block(dim, dim)

    def forward(self, x):
        return self.norm(x)
class Net(nn.Module):
    def __init__(self):
        self.layers = nn.ModuleList()
        for i in range(2):
            blocks = [Block(8 * 2**i) for _ in range(2)]
            blocks.append(Merge(8 * 2**i))
            self.layers.append(nn.Sequential(*blocks))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


def test_the_layer_of_the_round_before() -> None:
    failure = _of_layer(LOOP, "nn.LayerNorm(dim)", "self.norm(x)", "f32[2, 8]", place(LOOP, "layer(x)"),
                        normalized_shape=(16,))  # fmt: skip
    assert "self.reduce = nn.Linear(4 * dim, 2 * dim)" in edited(failure, LOOP)


def test_the_stride_of_a_layer_that_a_function_makes() -> None:
    text = LOOP.replace("return self.norm(x)", "return self.conv(x) + self.short(x)")
    add = attempt("torch.Tensor.add", ("f32[2, 8, 12, 16]", "f32[2, 8, 24, 32]"))
    found = edited(Failure("trace", "no", place(text, "self.conv(x) + self.short(x)"), operation=add), text)
    assert "self.short = block(dim, dim, s=2)" in found
    assert "self.short = block(dim, dim, s=stride)" in found


RESULTS = """import torch.nn.functional as F
class Steps(nn.Module):
    def __init__(self, dim):
        self.cell = nn.GRUCell(dim, dim)

    def forward(self, x):
        states = [self.cell(x)]
        return torch.cat(states, dim=1)
class Net(nn.Module):
    def __init__(self, dim, wide):
        self.steps = Steps(dim)
        self.lstm = nn.LSTM(dim, wide, bidirectional=True)
        self.attn = nn.MultiheadAttention(dim, 4)
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(3, wide, 5)) for _ in range(2)])
        self.stages = nn.ModuleList([nn.Conv2d(3, wide, 1)])
        self.side = nn.Conv2d(dim, 4, 1)

    def forward(self, x, a, clips):
        features = []
        for stage in self.stages:
            a = stage(a)
            features.append(a)
        if self.training:
            a = a.view(2, 3, 4, 5)
        b = a.softmax(-1) @ x
        joined = torch.cat(features, dim=1)
        low = self.side(features[-1])
        for part, weight in zip(x, self.weights):
            part = part @ weight
        steps = self.steps(x)
        y, _ = self.attn(x, steps, steps)
        both, _ = self.lstm(x)
        z, _ = self.attn(x, both, x)
        frames = self.cnn(clips.flatten(0, 1))
        first = self.cell(frames[:, 0], b)
        heads = (b @ y).flatten(2)
        return self.out(heads)
"""


def _found(part: str, target: str, *arguments: Any, **settings: Any) -> list[str]:
    if settings:
        built = settings.pop("built")
        return edited(_of_layer(RESULTS, built, part, *arguments, target=target, **settings), RESULTS)
    operation = attempt(target, arguments)
    return edited(Failure("trace", "no", place(RESULTS, part), operation=operation), RESULTS)


def test_a_variable_is_changed_in_the_branch_that_binds_it() -> None:
    found = _found("a.softmax(-1) @ x", "torch.Tensor.__matmul__", "f32[2, 3, 4, 5]", "f32[6, 5, 7]")
    assert "a = a.view(2, 3, 4, 5).flatten(0, 1)" in found


def test_all_of_a_list_are_made_as_large_as_its_first_one() -> None:
    found = _found("torch.cat(features, dim=1)", "torch.cat", ["f32[2, 8, 24, 32]", "f32[2, 8, 12, 16]"], {"dim": 1})
    assert found[0] == "joined = torch.cat([F.interpolate(one, size=features[0].shape[2:]) for one in features], dim=1)"
    found = _found("torch.cat(features, dim=1)", "torch.cat", ["f32[2, 8]", "f32[2, 9]"], {"dim": 0})
    assert not any("interpolate" in one for one in found)


def test_features_that_are_kept_in_a_list() -> None:
    found = _found("self.side(features[-1])", "Conv2d", "f32[2, 6, 8, 8]", built="nn.Conv2d(dim, 4, 1)", in_channels=9)
    assert "self.stages = nn.ModuleList([nn.Conv2d(3, dim, 1)])" in found


def test_parameters_of_a_list() -> None:
    found = _found("part @ weight", "torch.Tensor.__matmul__", "f32[2, 7]", "f32[3, 6, 5]")
    assert "self.weights = nn.ParameterList([nn.Parameter(torch.randn(3, 7, 5)) for _ in range(2)])" in found


def test_what_attention_is_given() -> None:
    built = "nn.MultiheadAttention(dim, 4)"
    sizes = {"embed_dim": 16, "kdim": 16, "vdim": 16, "num_heads": 4}
    found = _found("self.attn(x, steps, steps)", "MultiheadAttention", "f32[2, 5, 16]", "f32[2, 80]", "f32[2, 80]",
                   built=built, **sizes)  # fmt: skip
    assert "return torch.stack(states, dim=1)" in found
    found = _found("self.attn(x, both, x)", "MultiheadAttention", "f32[2, 5, 16]", "f32[2, 5, 32]", "f32[2, 5, 16]",
                   built=built, **sizes)  # fmt: skip
    assert "self.lstm = nn.LSTM(dim, 8, bidirectional=True)" in found


def test_attention_over_more_dims_than_it_takes() -> None:
    found = _found("self.attn(x, both, x)", "MultiheadAttention", *("f32[2, 5, 3, 16]",) * 3,
                   built="nn.MultiheadAttention(dim, 4)", embed_dim=16, kdim=16, vdim=16, num_heads=4)  # fmt: skip
    assert "x = x.flatten(0, 1)" in found


def test_dims_that_were_merged_are_apart_again() -> None:
    found = _found("self.cell(frames[:, 0], b)", "GRUCell", "f32[28]", "f32[4, 32]", built="nn.GRUCell(dim, dim)",
                   input_size=32, hidden_size=32)  # fmt: skip
    assert "frames = self.cnn(clips.flatten(0, 1)).unflatten(0, clips.shape[:2])" in found
    failing = "self.cnn(x.view(b * t, c)) + y"
    found = of_function(failing, "torch.Tensor.add", "f32[10, 3]", "f32[2, 5, 3]")
    assert "self.cnn(x.view(b * t, c)).unflatten(0, (b, t)) + y" in found


def test_heads_are_turned_before_they_are_merged() -> None:
    found = _found("self.out(heads)", "Linear", "f32[2, 4, 324]", built="nn.GRUCell(dim, dim)", in_features=48)
    assert "heads = (b @ y).transpose(1, 2).flatten(2)" in found
    text = RESULTS.replace("(b @ y).flatten(2)", "torch.flatten(b @ y, 2)")
    failure = _of_layer(
        text, "nn.GRUCell(dim, dim)", "self.out(heads)", "f32[2, 4, 324]", target="Linear", in_features=48
    )
    found = edited(failure, text)
    assert "heads = torch.flatten((b @ y).transpose(1, 2), 2)" in found
    assert not any("torch.transpose" in one for one in found)


LISTED = """class Net(nn.Module):
    def __init__(self, a, b, groups, config):
        self.norm1 = norm_act(b, groups)
        self.norm2 = norm_act(a, groups)
        layers, last = [], config.width
        for width in config.hidden:
            layers += [nn.Linear(last, width)]
        self.head = nn.Linear(8, 4)
        self.tables = nn.ModuleList([nn.Embedding(9, 8) for _ in range(2)])
        self.proj = nn.Linear(8, 3)

    def forward(self, x, y, dense):
        fields = [table(x) for table in self.tables]
        fields.append(self.head(dense))
        z = torch.stack(fields, dim=1)
        q, k = self.proj(x).split([2, 4], dim=-1)
        joined = torch.cat([x, y], dim=1)
        return self.norm(joined)
def norm_act(channels, groups):
    return nn.Sequential(nn.GroupNorm(groups, channels), nn.ReLU())
"""


def test_tensors_that_are_kept_in_a_list() -> None:
    stack = attempt("torch.stack", (["f32[5, 8]", "f32[5, 8]", "f32[5, 4]"], {"dim": 1}))
    found = edited(Failure("trace", "no", place(LISTED, "torch.stack(fields, dim=1)"), operation=stack), LISTED)
    assert "self.head = nn.Linear(8, 8)" in found
    stack = attempt("torch.stack", (["f32[5, 8]", "f32[5, 8]", "f32[5, 1, 8]"], {"dim": 1}))
    found = edited(Failure("trace", "no", place(LISTED, "torch.stack(fields, dim=1)"), operation=stack), LISTED)
    assert found[0] == "fields.append(self.head(dense).squeeze(1))"


def test_parts_that_are_not_the_whole() -> None:
    split = attempt("torch.Tensor.split", ("f32[5, 3]", [2, 4], {"dim": -1}))
    failing = "self.proj(x).split([2, 4], dim=-1)"
    assert "self.proj = nn.Linear(8, 6)" in edited(
        Failure("trace", "no", place(LISTED, failing), operation=split), LISTED
    )


def test_a_size_as_the_calls_beside_write_it_and_as_a_variable_starts() -> None:
    failure = _of_layer(LISTED, "norm_act(a, groups)", "self.norm(joined)", "f32[2, 8, 4]", target="GroupNorm",
                        num_channels=4, num_groups=2)  # fmt: skip
    assert "self.norm2 = norm_act(b, groups)" in edited(failure, LISTED)
    failure = _of_layer(LISTED, "nn.Linear(last, width)", "self.norm(joined)", "f32[2, 80]", target="Linear",
                        in_features=40)  # fmt: skip
    assert "layers, last = [], 2 * config.width" in edited(failure, LISTED)


def test_joined_along_another_dim_and_repeated() -> None:
    failure = _of_layer(LISTED, "nn.Linear(8, 4)", "self.norm(joined)", "f32[2, 8, 4]", target="LayerNorm",
                        normalized_shape=(8,))  # fmt: skip
    assert "joined = torch.cat([x, y], dim=-1)" in edited(failure, LISTED)
    assert "x + y.repeat(5, 1)" in of_function("x + y", "torch.Tensor.add", "f32[20, 3]", "f32[4, 3]")


def _of_layer(text: str, built: str, part: str, *arguments: Any, target: str = "", **settings: Any) -> Failure:
    calls = tuple(one for one in arguments if isinstance(one, Span))
    given = tuple(one for one in arguments if not isinstance(one, Span))
    name = target or built.partition("(")[0].rpartition(".")[2]
    made = attempt(name, given, part.partition("(")[0], **settings)
    layer = Attempt(name, made.arguments, made.called, made.settings, place(text, built))
    return Failure("trace", "no", place(text, part), calls, layer=layer)
