"""Mends of sizes that are right in another dim, in another order, or with what is left out of a call."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group, Opaque
from tests.analysis.test_mends import attempt, edited, place, value

TEXT = """import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
SCALE = 8
def crop(recording, start, length):
    return recording[start : start + length]
def batch(rows, start, length):
    return torch.stack([crop(row, start, length) for row in rows])
class Net(nn.Module):
    scale = 8
    def forward(self, x, weight, lengths):
        h = F.conv2d(x, weight)
        mixed = torch.einsum("nkct,kv->nctv", x, weight)
        s = self.scale
        y = x.view(4, 9, s, s, 5)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        return self.gru(packed)
    def head(self, x, weight, table):
        maps = F.conv2d(x, weight)
        flat = maps.flatten(1)
        table[0, :, 2:9] = x
        table[0, 2:9] = x
        return flat @ weight
"""


def _edited(part: str, target: str, *arguments: Any, calls: tuple[Span, ...] = ()) -> list[str]:
    operation = attempt(target, arguments)
    return edited(Failure("trace", "no", place(TEXT, part), calls, operation=operation), TEXT)


def test_a_slice_cuts_the_dim_that_is_meant() -> None:
    part = "table[0, 2:9]"
    found = _edited(part, "torch.Tensor.__setitem__", "i64[3, 4, 10]", (0, slice(2, 9)), "i64[4, 7]")
    assert "table[0, :, 2:9] = x" in found
    part = "table[0, :, 2:9]"
    found = _edited(part, "torch.Tensor.__setitem__", "i64[3, 10, 4]", (0, slice(None), slice(2, 9)), "i64[7, 4]")
    assert "table[0, 2:9] = x" in found


def test_a_slice_cuts_the_dim_that_is_meant_where_it_is_returned() -> None:
    part = "torch.stack([crop(row, start, length) for row in rows])"
    found = _edited(part, "torch.stack", ["f32[3, 7, 5]", "f32[3, 9, 5]"])
    assert "return recording[:, start : start + length]" in found


def test_a_kernel_in_the_order_of_tensorflow_is_turned() -> None:
    found = _edited("F.conv2d(x, weight)", "torch.conv2d", "f32[2, 16, 9, 9]", "f32[3, 3, 16, 32]")
    assert "h = F.conv2d(x, weight.permute(3, 2, 0, 1))" in found
    found = _edited("F.conv2d(x, weight)", "torch.conv2d", "f32[2, 16, 9, 9]", "f32[32, 8, 3, 3]")
    assert not any("permute(3, 2, 0, 1)" in one for one in found)


def test_a_convolution_that_is_a_function_keeps_the_sizes() -> None:
    found = _edited("flat @ weight", "torch.Tensor.__matmul__", "f32[2, 490]", "f32[810, 4]")
    assert 'maps = F.conv2d(x, weight, padding="same")' in found


def test_a_dim_of_an_einsum_is_two_of_which_another_operand_says_one() -> None:
    part = 'torch.einsum("nkct,kv->nctv", x, weight)'
    found = _edited(part, "torch.einsum", "nkct,kv->nctv", "f32[2, 12, 7]", "f32[3, 5]")
    assert any("x.unflatten(1, (3, -1))" in one for one in found)
    found = _edited(part, "torch.einsum", "nkct,kv->nctv", "f32[2, 11, 7]", "f32[3, 5]")
    assert not any("unflatten" in one for one in found)


@pytest.mark.parametrize("elements", [9 * 16 * 5, 9 * 15 * 5])
def test_a_size_that_is_taken_twice_is_another_one_where_it_is_written(elements: int) -> None:
    found = _edited("x.view(4, 9, s, s, 5)", "torch.Tensor.view", f"f32[4, {elements}]", 4, 9, 8, 8, 5)
    assert ("scale = 4" in found) == (elements == 9 * 16 * 5)


@pytest.mark.parametrize(
    ("given", "dim"),
    [(", batch_first=True", 1), (", True", 1), ("", 0), (", batch_first=False", 0), (", batch_first=first", None)],
)
def test_no_length_is_beyond_the_end_of_what_is_packed(given: str, dim: int | None) -> None:
    text = TEXT.replace(", batch_first=True", given)
    packed = Group("tuple", (value("f32[20, 16]"), value("i64[10]")), name="PackedSequence")
    settings = (Argument("input_size", Opaque("16")), Argument("hidden_size", Opaque("8")))
    layer = Attempt("GRU", (Argument("0", packed, "packed"),), "self.gru", settings)
    found = edited(Failure("trace", "no", place(text, "self.gru(packed)"), (), layer=layer), text)
    clamped = [one for one in found if "clamp" in one]
    shorter = f"pack_padded_sequence(x, lengths.cpu().clamp(max=x.size({dim})){given}, enforce_sorted=False)"
    assert clamped == ([f"packed = {shorter}"] if dim is not None else [])
