"""Mends of sequences that are one step too long, of masks and places, and of one that is meant for a whole batch."""

from __future__ import annotations

from typing import Any

from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import numpy as np
import torch
from torch import nn
PAD = 0
class Net(nn.Module):
    def forward(self, query, memory, mask):
        scores = torch.bmm(memory, self.project(query).unsqueeze(2))
        return torch.bmm(scores.transpose(1, 2), memory)
def build(targets):
    image, row = targets[:, 0], targets[:, 1].long()
    return (image, row), targets
def smoothed(logp, target):
    nll = logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return nll[target != PAD]
def draw(rng):
    return rng.normal(size=8)
def sample(obs, act, label):
    return torch.from_numpy(obs), torch.from_numpy(act), torch.from_numpy(label).long()
def linear(z, weight):
    return nn.functional.linear(z, weight)
def main(model, x, target):
    at, boxes = build(target)
    chosen = x[at]
    predicted = x.argmax(-1)
    wanted = target
    keep = wanted != PAD
    right = (predicted[keep] == wanted[keep]).sum()
    loss = smoothed(x, target)
    off = ~torch.eye(x.shape[1], dtype=torch.bool)
    votes = torch.zeros(4, len(x))
    votes.scatter_add_(1, at, weight)
    prior = torch.rand(len(x), 16)
    mixed = boxes @ prior
    maps = torch.cat([x, boxes], dim=1)
    losses = x.gather(1, target)
    observed = draw(rng)
    y = linear(torch.from_numpy(observed).unsqueeze(0), weight)
    sim = x.masked_fill(~keep, -1e9)
    total.index_add_(0, at, boxes.to(x.dtype))
    least = torch.min(pair)
    bank[:, 2 : 2 + n] = keys
    distances = torch.cdist(x, x)
    return distances[off]
"""


def _edited(part: str, target: str, *arguments: Any, calls: tuple[Span, ...] = ()) -> list[str]:
    operation = attempt(target, arguments)
    return edited(Failure("trace", "no", place(TEXT, part), calls, operation=operation), TEXT)


def test_what_a_mask_is_made_of_is_cut_where_it_is_bound() -> None:
    found = _edited("predicted[keep]", "torch.Tensor.__getitem__", "i64[6, 9]", "b8[6, 10]")
    assert "wanted = target[:, 1:]" in found
    assert "wanted = target[:, :-1]" in found
    found = _edited("predicted[keep]", "torch.Tensor.__getitem__", "i64[6, 9]", "b8[6, 12]")
    assert not any("1:]" in one for one in found)


def test_what_places_are_made_of_is_cut_where_it_is_passed() -> None:
    found = _edited("logp.gather(-1, target.unsqueeze(-1))", "torch.Tensor.gather", "f32[4, 10, 48]", -1,
                    "i64[4, 11, 1]", calls=(place(TEXT, "smoothed(x, target)"),))  # fmt: skip
    assert "loss = smoothed(x, target[:, 1:])" in found


def test_a_part_of_an_index_is_cast_where_the_index_is_put_together() -> None:
    found = _edited("x[at]", "torch.Tensor.__getitem__", "f32[2, 8, 4]", ["f32[6]", "i64[6]"])
    assert found[0] == "return (image.long(), row), targets"


def test_a_mask_is_made_in_the_size_of_another_dim() -> None:
    found = _edited("distances[off]", "torch.Tensor.__getitem__", "f32[6, 6]", "b8[3, 3]")
    assert "off = ~torch.eye(x.shape[0], dtype=torch.bool)" in found


def test_one_that_is_meant_for_a_whole_batch_is_expanded() -> None:
    part = "torch.bmm(memory, self.project(query).unsqueeze(2))"
    found = _edited(part, "torch.bmm", "f32[1, 7, 16]", "f32[4, 16, 1]")
    assert "memory = memory.expand(query.size(0), -1, -1)" in found


def test_what_a_part_is_set_to_is_turned() -> None:
    index = (slice(None), slice(2, 8))
    found = _edited("bank[:, 2 : 2 + n]", "torch.Tensor.__setitem__", "f32[16, 64]", index, "f32[6, 16]")
    assert "bank[:, 2 : 2 + n] = keys.transpose(-2, -1)" in found
    index = (slice(None), 2)
    found = _edited("bank[:, 2 : 2 + n]", "torch.Tensor.__setitem__", "f32[16, 64]", index, "f32[16, 1]")
    assert "bank[:, 2 : 2 + n] = keys.squeeze(-1)" in found


def test_the_sizes_of_what_is_filled_are_exchanged() -> None:
    arguments = ("f32[4, 24]", 1, "i64[24, 5]", "f32[24, 5]")
    found = _edited("votes.scatter_add_(1, at, weight)", "torch.Tensor.scatter_add_", *arguments)
    assert "votes = torch.zeros(len(x), 4)" in found
    found = _edited("boxes @ prior", "torch.Tensor.__matmul__", "f32[6, 16]", "f32[24, 16]")
    assert "prior = torch.rand(16, len(x))" in found


def test_a_row_is_laid_out_as_a_map_or_repeated_at_each_place() -> None:
    found = _edited("torch.cat([x, boxes], dim=1)", "torch.cat", ["f32[8, 3, 32, 32]", "f32[8, 1024]"], 1)
    assert "maps = torch.cat([x, boxes.view(-1, 1, *x.shape[2:])], dim=1)" in found
    found = _edited("torch.cat([x, boxes], dim=1)", "torch.cat", ["f32[8, 3, 32, 30]", "f32[8, 10]"], 1)
    assert "maps = torch.cat([x, boxes[:, :, None, None].expand(-1, -1, x.size(2), x.size(3))], dim=1)" in found


def test_one_element_is_taken_for_each_place() -> None:
    found = _edited("x.gather(1, target)", "torch.Tensor.gather", "f32[8, 10]", 1, "i64[8]")
    assert found[0] == "losses = x.gather(1, target.unsqueeze(1)).squeeze(1)"


def test_doubles_of_numpy_are_made_floats_where_they_are_made() -> None:
    calls = (place(TEXT, "linear(torch.from_numpy(observed).unsqueeze(0), weight)"),)
    part = "nn.functional.linear(z, weight)"
    found = _edited(part, "torch.nn.functional.linear", "f64[1, 8]", "f32[4, 8]", calls=calls)
    assert "return rng.normal(size=8).astype(np.float32)" in found
    all_floats = "torch.from_numpy(obs).float(), torch.from_numpy(act).float(), torch.from_numpy(label).long()"
    assert any(all_floats in one for one in found)
    assert not any("astype" in one and "from_numpy(" in one for one in found)


def test_a_mask_is_padded_where_something_was_put_before_the_keys() -> None:
    arguments = ("f32[4, 2, 9, 10]", "b8[4, 1, 1, 9]", -1e9)
    found = _edited("x.masked_fill(~keep, -1e9)", "torch.Tensor.masked_fill", *arguments)
    assert "sim = x.masked_fill(nn.functional.pad(~keep, (1, 0)), -1e9)" in found
    arguments = ("f32[4, 2, 9, 10]", "b8[4, 3, 1, 9]", -1e9)
    assert not any(
        "pad" in one for one in _edited("x.masked_fill(~keep, -1e9)", "torch.Tensor.masked_fill", *arguments)
    )


def test_what_is_added_to_rows_has_no_dim_of_one() -> None:
    arguments = ("f32[64, 16]", 0, "i64[5]", "f32[1, 5, 16]")
    found = _edited("total.index_add_(0, at, boxes.to(x.dtype))", "torch.Tensor.index_add_", *arguments)
    assert "total.index_add_(0, at, boxes.to(x.dtype).squeeze(0))" in found


def test_two_tensors_of_which_the_smaller_is_taken_are_given_apart() -> None:
    assert _edited("torch.min(pair)", "torch.min", ["f32[8]", "f32[8]"])[0] == "least = torch.min(*pair)"


def test_a_sequence_beside_a_vector_is_joined_as_its_mean_or_its_first() -> None:
    found = _edited("torch.cat([x, boxes], dim=1)", "torch.cat", ["f32[6, 40]", "f32[6, 17, 40]"], {"dim": 1})
    assert {f"maps = torch.cat([x, boxes{one}], dim=1)" for one in (".mean(dim=1)", "[:, 0]")} <= {*found}
    found = _edited("torch.cat([x, boxes], dim=1)", "torch.cat", ["f32[5, 40]", "f32[6, 17, 40]"], {"dim": 1})
    assert not any("boxes.mean(dim=1)" in one for one in found)
