"""Mends of numbers and flags that are written elsewhere, also in another file; of parts that do not divide."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import proposals
from fx_lsp.analysis.mends._numbers import Follow
from fx_lsp.analysis.source import parsed
from fx_lsp.model.failure import Failure
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, edited, place

CONFIG = """from dataclasses import dataclass

ROWS = 32

@dataclass
class Config:
    width: int = 96
    heads: int = 5
"""
MODEL = """from torch import nn
from .config import Config, ROWS
class Attention(nn.Module):
    def __init__(self, c):
        self.heads = c.heads
        self.dim = c.width // c.heads
        self.places = nn.Embedding(ROWS, 8)
        self.proj = nn.Linear(c.width, c.width)

    def forward(self, x, pos):
        b, t, _ = x.shape
        p = self.places(pos)
        q = self.proj(x).view(b, t, self.heads, -1)
        k = self.proj(x).view(b, t, self.heads, self.dim)
        return q * k
"""


def changed(text: str, files: dict[str, str], part: str, target: str, *arguments: Any, **settings: Any) -> list[str]:
    """The lines that the proposals make other ones, wherever they are."""
    files = {PATH: text, **files}
    at = place(text, part)
    made = attempt(target, arguments, "self.layer", **settings)
    failure = Failure("trace", "no", at, layer=made) if settings else Failure("trace", "no", at, operation=made)
    found: list[str] = []
    for edit in proposals(failure, files.get):
        old = files[edit.path].splitlines()
        new = applied(files[edit.path], edit.changes).splitlines()
        found += [line.strip() for line, was in zip(new, old, strict=False) if line != was][:1]
    return found


def _beside(name: str) -> str:
    return PATH.rpartition("/")[0] + f"/{name}.py"


def test_a_number_of_a_configuration_in_another_file_is_one_that_divides() -> None:
    files = {_beside("config"): CONFIG}
    view = "self.proj(x).view(b, t, self.heads, -1)"
    found = changed(MODEL, files, view, "torch.Tensor.view", "f32[2, 7, 96]", 2, 7, 5, -1)
    assert found[:2] == ["heads: int = 6", "heads: int = 4"]
    view = "self.proj(x).view(b, t, self.heads, self.dim)"
    found = changed(MODEL, files, view, "torch.Tensor.view", "f32[2, 7, 96]", 2, 7, 5, 19)
    assert {"heads: int = 6", "heads: int = 4", "width: int = 95"} <= {*found}
    assert not [
        one for one in changed(MODEL, {}, view, "torch.Tensor.view", "f32[2, 7, 96]", 2, 7, 5, 19) if ":" in one
    ]


def test_what_is_imported_has_its_number_there() -> None:
    found = changed(MODEL, {_beside("config"): CONFIG}, "self.places(pos)", "Embedding", "i64[48]", num_embeddings=32)
    assert found == [] or "ROWS = 48" in found


def test_options_and_entries_of_lists() -> None:
    text = """from torch import nn
STAGES = [(1, 16), (2, 24)]
parser.add_argument("--hidden-dim", default=50, type=int)
class Net(nn.Module):
    def __init__(self, args, stages=STAGES):
        for repeats, width in stages:
            self.layer = nn.Linear(width, 4)
        self.layer = nn.Linear(args.hidden_dim, 4)

    def forward(self, x):
        return self.layer(x)
"""
    found = changed(text, {}, "self.layer(x)", "Linear", "f32[2, 24]", in_features=16, out_features=4)
    assert "STAGES = [(1, 24), (2, 24)]" in found
    found = changed(text, {}, "self.layer(x)", "Linear", "f32[2, 48]", in_features=50, out_features=4)
    assert 'parser.add_argument("--hidden-dim", default=48, type=int)' in found


LOSSES = """import torch.nn.functional as F
class Net(nn.Module):
    def forward(self, ids, labels):
        logits = self.head(ids)
        {lines}
        return F.cross_entropy(a, b)
"""


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("a, b = 0, 1; a = logits[:, :-1].flatten(0, 1); b = labels.flatten()", "labels[:, 1:].flatten()"),
        ("a = logits[..., :-1, :].reshape(-1, 9); shift = labels.contiguous(); b = shift.view(-1)", "labels[..., 1:]"),
        ("a = logits[1:].view(-1, 9); b = labels.view(-1)", "labels[1:].view"),
        ("a = logits.view(-1, 9); b = labels[..., 1:].reshape(-1)", "logits[..., :-1, :].view"),
    ],
)
def test_what_is_shifted_on_one_side(lines: str, wanted: str) -> None:
    text = LOSSES.format(lines=lines.replace("; ", "\n        "))
    loss = attempt("torch.nn.functional.cross_entropy", ("f32[14, 9]", "i64[16]"))
    found = edited(Failure("trace", "no", place(text, "F.cross_entropy(a, b)"), operation=loss), text)
    assert wanted in found[0]


def test_a_flag_the_other_way_round() -> None:
    text = """class Net(nn.Module):
    def __init__(self, width, learn=False):
        self.out = 2 * width if learn else width

    def forward(self, x):
        a, b = x.chunk(2, 1)
        return a * b


class Loop(nn.Module):
    def __init__(self, net):
        self.net = net
"""
    assert "def __init__(self, width, learn=True):" in changed(
        text, {}, "a * b", "torch.Tensor.mul", "f32[2, 3]", "f32[2, 4]"
    )


def test_what_a_loop_inside_another_one_does_not_carry_on() -> None:
    text = """class Net(nn.Module):
    def __init__(self, width, widths):
        for dim in widths:
            for j in range(2):
                self.blocks.append(nn.Conv2d(width if j == 0 else dim, dim, 3))
        for wide in widths:
            self.more += [nn.Conv2d(width, wide, 3)]

    def forward(self, x):
        return self.layer(x)
"""
    conv = attempt("Conv2d", ("f32[2, 8, 9, 9]",), "self.layer", in_channels=4, out_channels=8)
    found = edited(Failure("trace", "no", place(text, "self.layer(x)"), layer=conv), text)
    assert {"width = dim", "width = wide"} <= {*found}


@pytest.mark.parametrize("side", ["side", "cfg.side"])
def test_a_side_that_is_left_out_of_a_product(side: str) -> None:
    text = f"""class Net(nn.Module):
    def __init__(self, channels, side, dim, cfg):
        self.fc = nn.Linear(channels * {side}, dim)

    def forward(self, x):
        return self.fc(x)
"""
    made = attempt("Linear", ("f32[2, 324]",), "self.fc", in_features=36, out_features=8)
    made = replace(made, built=place(text, f"nn.Linear(channels * {side}, dim)"))
    found = edited(Failure("trace", "no", place(text, "self.fc(x)"), layer=made), text)
    assert found[0] == f"self.fc = nn.Linear(channels * {side} * {side}, dim)"


def test_a_channel_that_is_cut_off_is_one_more() -> None:
    text = """import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        self.act = nn.ReLU()
        self.head = nn.Conv2d(96, 64, 1)

    def forward(self, x):
        scores = F.softmax(self.head(self.act(x)), 1)[:, :-1]
        return scores.permute(0, 2, 3, 1).reshape(2, 12, 16, 8, 8)
"""
    operation = attempt("torch.Tensor.reshape", ("f32[2, 12, 16, 63]", 2, 12, 16, 8, 8))
    at = place(text, "scores.permute(0, 2, 3, 1).reshape(2, 12, 16, 8, 8)")
    found = edited(Failure("trace", "no", at, operation=operation), text)
    assert "self.head = nn.Conv2d(96, 65, 1)" in found


@pytest.mark.timeout(30)
def test_a_field_that_many_classes_pass_to_each_other_is_followed_once() -> None:
    given = "\n".join(f"class C{one}:\n    def __init__(self, c):\n        self.width = c.width\n" for one in range(9))
    text = f"{given}class Config:\n    width = 24\ndef half(c):\n    return c.width\n"
    source = parsed("/w/many.py", text)
    returned = source.every(ast.Return)[-1].value
    assert returned is not None
    assert {*Follow(source).known(returned)} == {24}
