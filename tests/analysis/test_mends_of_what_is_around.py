"""Mends that look at how other things are written around the call that fails."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.value import Group
from tests.analysis.test_mends import attempt, edited, of_function, of_layer, place, value

ATTENTION = """import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gru = nn.GRU(dim, hidden)
        self.both = nn.Linear(dim, 2 * dim)
        self.register_buffer("bank", torch.rand(9, dim))

    def forward(self, x, a, low):
        b, t, _ = x.shape
        q = self.q(x).view(b, t, 4, -1).transpose(1, 2)
        k = self.k(x).view(b, t, 4, -1)
        scores = q @ k.transpose(-2, -1)
        steps, last = self.gru(x)
        mixed = steps + self.fc(last)
        wide = torch.cat([q, k], 1)
        y = wide + x
        z = x + self.table[:, : t - 1]
        w = a.sqrt() * x + (1 - a).sqrt() * x
        m = x + low
        n = self.norm(rearrange(x, "b n h -> b h n"))
        o, p, r = self.both(x).split(8, dim=-1)
        s = self.layer(x)
        u = s + x
        v = x @ self.bank
        return u + state
"""


def _edited(part: str, target: str, *arguments: Any, layer: Attempt | None = None) -> list[str]:
    failure = Failure("trace", "no", place(ATTENTION, part), operation=attempt(target, arguments), layer=layer)
    return edited(failure, ATTENTION)


def test_what_is_made_nearly_as_another_one_is_made_in_the_same_way() -> None:
    found = _edited("q @ k.transpose(-2, -1)", "torch.Tensor.__matmul__", "f32[2, 4, 9, 8]", "f32[2, 9, 8, 4]")
    assert "k = self.k(x).view(b, t, 4, -1).transpose(1, 2)" in found
    text = ATTENTION.replace("transpose(1, 2)\n        k = self.k(x).view(b, t, 4, -1)",
                             "transpose(1, 2)\n        k = self.k(x).view(b, t, 4, -1).transpose(0, 2)")  # fmt: skip
    matmul = attempt("torch.Tensor.__matmul__", ("f32[2, 4, 9, 8]", "f32[4, 9, 8, 2]"))
    found = edited(Failure("trace", "no", place(text, "q @ k.transpose(-2, -1)"), operation=matmul), text)
    assert "k = self.k(x).view(b, t, 4, -1).transpose(1, 2)" in found


def test_the_state_of_the_last_layer_and_the_batch_in_the_first_dim() -> None:
    found = _edited("steps + self.fc(last)", "torch.Tensor.add", "f32[9, 2, 8]", "f32[3, 2, 8]")
    assert "mixed = steps + self.fc(last[-1])" in found
    assert "self.gru = nn.GRU(dim, hidden, batch_first=True)" in found


def test_what_is_joined_is_stacked() -> None:
    assert "wide = torch.stack([q, k], 1)" in _edited("wide + x", "torch.Tensor.add", "f32[2, 10]", "f32[2, 3, 5]")


def test_a_cut_is_as_long_as_the_other_operand() -> None:
    found = _edited("x + self.table[:, : t - 1]", "torch.Tensor.add", "f32[2, 9, 8]", "f32[1, 8, 8]")
    assert {"z = x + self.table[:, : x.size(1)]", "z = x + self.table[:, :]"} <= {*found}


def test_each_number_of_a_name_is_taken_and_the_name_is_bound_anew() -> None:
    found = _edited("a.sqrt() * x", "torch.Tensor.mul", "f32[2]", "f32[2, 3, 4]")
    assert found[:2] == [
        "w = a.sqrt()[:, None, None] * x + (1 - a).sqrt() * x",
        "a = a[:, None, None]",
    ]


def test_maps_are_resized_and_sequences_are_not() -> None:
    found = _edited("x + low", "torch.Tensor.add", "f32[2, 3, 8, 8]", "f32[2, 3, 4, 4]")
    assert "m = x + F.interpolate(low, size=x.shape[2:])" in found
    found = _edited("x + low", "torch.Tensor.add", "f32[2, 3, 8]", "f32[2, 3, 4]")
    assert not any("interpolate" in one for one in found)


def test_axes_of_a_pattern() -> None:
    layer = attempt("LayerNorm", ("f32[2, 8, 3]",), "self.norm", normalized_shape=(3,))
    layer = Attempt("LayerNorm", (Argument("0", value("f32[2, 8, 3]")),), "self.norm", layer.settings)
    text = ATTENTION.replace("b n h -> b h n", "b n h -> b (h n) c")
    part = 'self.norm(rearrange(x, "b n h -> b (h n) c"))'
    layer = attempt("LayerNorm", ("f32[2, 24, 8]",), "self.norm", normalized_shape=(3,))
    operation = attempt("torch.nn.functional.layer_norm", ("f32[2, 24, 8]", (3,)))
    found = edited(Failure("trace", "no", place(text, part), operation=operation, layer=layer), text)
    assert 'n = self.norm(rearrange(x, "b n h -> b (h c) n"))' in found


def test_a_layer_is_made_as_wide_as_its_parts() -> None:
    parts = Attempt("parts", (Argument("0", value(["f32[2, 9, 8]", "f32[2, 9, 8]"])), Argument("1", value(3))))
    found = edited(Failure("trace", "no", place(ATTENTION, "o, p, r"), operation=parts), ATTENTION)
    assert "self.both = nn.Linear(dim, 24)" in found


def test_the_second_result_has_the_name_that_is_missing() -> None:
    both = Group("tuple", (value("f32[2, 9, 8]"), value("f32[2, 9]")))
    add = Attempt("operator", (Argument("0", both, "s"), Argument("1", value("f32[2, 9, 8]"), "x")), "+")
    found = edited(Failure("trace", "no", place(ATTENTION, "s + x"), operation=add), ATTENTION)
    assert found[0] == "s, state = self.layer(x)"


def test_a_buffer_is_made_in_the_size_that_fits() -> None:
    found = _edited("x @ self.bank", "torch.Tensor.__matmul__", "f32[2, 9, 7]", "f32[9, 8]")
    assert 'self.register_buffer("bank", torch.rand(7, dim))' in found


FUNCTIONS = [
    ("x.view(-1, 24, 8, 8)", "torch.Tensor.view", ("f32[6, 1176]", -1, 24, 8, 8), "x.view(-1, 24, 7, 7)"),
    ("x.view(2, 4, 6)", "torch.Tensor.view", ("f32[2, 20]", 2, 4, 6), "x.view(2, 4, 5)"),
    ("self.layer(x).view(-1, 3, 4)", "torch.Tensor.view", ("f32[2, 8]", -1, 3, 4), "nn.Linear(8, 12)"),
    ('torch.einsum("bd,kd->bk", x, self.layer(y))', "torch.einsum", ("bd,kd->bk", "f32[2, 6]", "f32[5, 8]"),
     "nn.Linear(8, 6)"),
    ("x + self.table", "torch.Tensor.add", ("f32[2, 9, 8]", "f32[16, 8]"), "x + self.table[:x.size(1)]"),
]  # fmt: skip


@pytest.mark.parametrize(("failing", "target", "arguments", "wanted"), FUNCTIONS, ids=lambda one: str(one)[:40])
def test_functions(failing: str, target: str, arguments: tuple[Any, ...], wanted: str) -> None:
    text = f"""class Net(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(8, 8)

    def forward(self, x, y):
        z = {failing}
        return z
"""
    found = edited(Failure("trace", "no", place(text, failing), operation=attempt(target, arguments)), text)
    assert wanted in [one.removeprefix("z = ").removeprefix("self.layer = ") for one in found]


def test_a_convolution_before_a_view_of_other_sizes() -> None:
    text = """import torch
class Net(nn.Module):
    def __init__(self):
        self.up = nn.ConvTranspose2d(4, 1, kernel_size=4, stride=2, padding=2)

    def forward(self, x):
        return torch.sigmoid(self.up(x)).view(-1, 784)
"""
    view = attempt("torch.Tensor.view", ("f32[6, 1, 26, 26]", -1, 784))
    part = "torch.sigmoid(self.up(x)).view(-1, 784)"
    found = edited(Failure("trace", "no", place(text, part), operation=view), text)
    assert "self.up = nn.ConvTranspose2d(4, 1, kernel_size=4, stride=2, padding=1)" in found


def test_turned_on_the_other_side_of_a_layer() -> None:
    found = of_layer("nn.LayerNorm(8)", "self.layer(x.transpose(1, 2))", "f32[2, 8, 9]", normalized_shape=(8,))
    assert "self.layer(x).transpose(1, 2)" in found
    text = ATTENTION.replace("self.layer(x)", "self.layer(x).transpose(1, 2)")
    layer = attempt("Linear", ("f32[2, 8, 9]",), "self.layer", in_features=8, out_features=4)
    found = edited(Failure("trace", "no", place(text, "self.layer(x)"), layer=layer), text)
    assert "s = self.layer(x.transpose(1, 2))" in found


def test_steps_of_a_cell_are_more_of_a_batch() -> None:
    found = of_layer("nn.GRUCell(8, 8)", "self.layer(x, y)", "f32[2, 5, 8]", "f32[2, 5, 8]", input_size=8,
                     hidden_size=8)  # fmt: skip
    assert "self.layer(x.flatten(0, 1), y.flatten(0, 1)).unflatten(0, x.shape[:2])" in found


def test_several_calls_of_one_statement_are_joined_along_the_same_dim() -> None:
    given = ["f32[2, 9, 4]", "f32[2, 5, 4]"]
    assert of_function("torch.cat(x), torch.cat(y)", "torch.cat", given) == []
    text = "def f(x, y):\n    return torch.cat(x), torch.cat(y)\n"
    found = edited(Failure("trace", "no", place(text, "torch.cat(x)"), operation=attempt("torch.cat", (given,))), text)
    assert found[0] == "return torch.cat(x, dim=1), torch.cat(y, dim=1)"


def test_heads_of_a_layer_of_a_transformer() -> None:
    text = "class Net(nn.Module):\n    def __init__(self):\n        self.layer = nn.TransformerEncoderLayer(44, 8)\n"
    part = "nn.TransformerEncoderLayer(44, 8)"
    made = Attempt("TransformerEncoderLayer", (Argument("d_model", value(44), "44"), Argument("nhead", value(8), "8")))
    found = edited(Failure("construct", "no", place(text, part), operation=made), text)
    assert found == [
        "self.layer = nn.TransformerEncoderLayer(44, 11)",
        "self.layer = nn.TransformerEncoderLayer(44, 4)",
        "self.layer = nn.TransformerEncoderLayer(48, 8)",
    ]


def test_maps_of_features_are_averaged() -> None:
    found = of_layer("nn.LayerNorm(8)", "self.layer(x)", "f32[2, 8, 4, 4]", normalized_shape=(8,))
    assert "self.layer(x.mean(dim=(2, 3)))" in found


def test_a_reduction_keeps_its_dim_where_its_result_is_an_attribute() -> None:
    text = """class Net(nn.Module):
    def before(self, x):
        self.scale = torch.sqrt(x.var(dim=1) + 1)

    def forward(self, x):
        return x * self.scale
"""
    mul = attempt("torch.Tensor.mul", ("f32[4, 96, 5]", "f32[4, 5]"))
    found = edited(Failure("trace", "no", place(text, "x * self.scale"), operation=mul), text)
    assert "self.scale = torch.sqrt(x.var(dim=1, keepdim=True) + 1)" in found


def test_flattened_from_another_dim() -> None:
    found = of_layer("nn.Linear(16, 8)", "self.layer(torch.flatten(x))", "f32[32]", in_features=16, out_features=8)
    assert "self.layer(torch.flatten(x, 1))" in found
    text = """class Net(nn.Module):
    def __init__(self):
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(16, 8))

    def forward(self, x):
        return self.head(x)
"""
    layer = attempt("Linear", ("f32[2, 48]",), "self.head[1]", in_features=16, out_features=8)
    layer = Attempt("Linear", layer.arguments, layer.called, layer.settings, place(text, "nn.Linear(16, 8)"))
    found = edited(Failure("trace", "no", place(text, "self.head(x)"), layer=layer), text)
    assert "self.head = nn.Sequential(nn.Flatten(-2), nn.Linear(16, 8))" in found


def test_what_has_several_dims_in_one_is_joined_with_what_has_them() -> None:
    found = of_function("torch.cat([self.other(x), y], dim=-1)", "torch.cat", ["f32[5, 11, 26]", "f32[55, 44]"],
                        {"dim": -1})  # fmt: skip
    assert found[0] == "torch.cat([self.other(x), y.unflatten(0, x.shape[:2])], dim=-1)"


def test_a_convolution_before_other_layers() -> None:
    text = """class Net(nn.Module):
    def __init__(self, dim):
        self.dw = nn.Conv2d(dim, dim, kernel_size=7)
        self.pw = nn.Linear(dim, dim)

    def forward(self, x):
        y = self.dw(x).permute(0, 2, 3, 1)
        y = self.pw(y).permute(0, 3, 1, 2)
        return x + y
"""
    add = attempt("torch.Tensor.add", ("f32[2, 8, 16, 16]", "f32[2, 8, 10, 10]"))
    found = edited(Failure("trace", "no", place(text, "x + y"), operation=add), text)
    assert "self.dw = nn.Conv2d(dim, dim, kernel_size=7, padding=3)" in found


def test_the_layer_of_a_loop_over_several_lists() -> None:
    text = """class Net(nn.Module):
    def __init__(self, dim):
        self.first = nn.ModuleList([nn.Conv1d(dim, dim, 3, padding=1) for _ in range(2)])
        self.second = nn.ModuleList([nn.Conv1d(dim, dim, 3, padding=dim) for _ in range(2)])

    def forward(self, x):
        for one, two in zip(self.first, self.second):
            y = two(x)
            x = x + y
        return x
"""
    add = attempt("torch.Tensor.add", ("f32[2, 8, 16]", "f32[2, 8, 30]"))
    found = edited(Failure("trace", "no", place(text, "x + y"), operation=add), text)
    assert 'self.second = nn.ModuleList([nn.Conv1d(dim, dim, 3, padding="same") for _ in range(2)])' in found
    assert not any("self.first" in one for one in found)


def test_what_has_a_few_too_many_is_cut() -> None:
    assert "x * y[:, :x.size(1)]" in of_function("x * y", "torch.Tensor.mul", "f32[20, 18]", "f32[20, 19]")
    assert not any(
        "x.size(1)]" in one for one in of_function("x * y", "torch.Tensor.mul", "f32[20, 18]", "f32[20, 48]")
    )


def test_the_batch_in_the_first_dim_where_sequences_are_padded() -> None:
    text = """
class Reader(nn.Module):
    def forward(self, packed, lengths, query):
        memory, _ = pad_packed_sequence(packed)
        whole, _ = pad_packed_sequence(packed, True)
        batch = nn.utils.rnn.pad_sequence(list(whole), padding_value=1)
        return memory

class Attention(nn.Module):
    def forward(self, memory, query):
        return torch.bmm(memory, query)
"""
    operation = attempt("torch.bmm", ("f32[9, 2, 8]", "f32[2, 8, 1]"))
    found = edited(Failure("trace", "no", place(text, "torch.bmm(memory, query)"), operation=operation), text)
    assert "memory, _ = pad_packed_sequence(packed, batch_first=True)" in found
    assert "batch = nn.utils.rnn.pad_sequence(list(whole), padding_value=1, batch_first=True)" in found
    assert not any("packed, True, batch_first" in one for one in found)


def test_samples_of_different_sizes_are_put_together_by_a_function_of_the_workspace() -> None:
    text = """
from torch.utils.data import DataLoader, default_collate
from data import Sentences, collate

def main():
    loader = DataLoader(Sentences(), batch_size=4)
    other = DataLoader(Sentences(), collate_fn=list)
    for batch in loader:
        print(torch.stack(batch))
"""
    operation = attempt("torch.stack", (["f32[3]", "f32[4]"], 0))
    found = edited(
        Failure("trace", "no", place(text.replace("loader:", "LOADER:"), "LOADER"), operation=operation), text
    )
    assert found[0] == "loader = DataLoader(Sentences(), batch_size=4, collate_fn=collate)"
    assert not any("default_collate" in one or "list, collate_fn" in one for one in found)
    own = edited(Failure("trace", "no", place(text, "torch.stack(batch)"), operation=operation), text)
    assert not any("collate_fn=collate" in one for one in own)
