"""Mends where what fails and what is wrong lie in different classes: entries of a sequence, parts of parts, bases."""

from __future__ import annotations

from typing import Any

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Attempt, Failure
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, edited, place

OTHER = "/w/parts.py"
TEXT = """import torch
import torch.nn as nn
import torch.nn.functional as F
from .parts import Encoder, Keeper

class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        out, gate = x.chunk(2, dim=self.dim)
        return out * gate.sigmoid()

class Depthwise(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, groups=width)

    def forward(self, x):
        x = F.pad(x, (1, 1))
        return self.conv(x)

class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        inner = dim * 2
        self.net = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Conv1d(dim, inner, 1),
            Gate(dim=2),
            Depthwise(inner),
        )

    def forward(self, x):
        return self.net(x)

class Net(Keeper):
    def __init__(self, dim, inner):
        super().__init__(dim)
        self.encoder = Encoder(dim, inner)
        self.block = Block(dim)

    def forward(self, x, y):
        h = self.encoder(x)
        z = h + y
        u = self.encoder.first(x)
        v = u + y
        w = self.kept(x)
        t = w + y
        return z
"""
PARTS = """import torch.nn as nn

class Encoder(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.first = nn.Linear(dim, dim * 2)
        self.last = nn.Linear(dim * 2, inner)

    def forward(self, x):
        return self.last(self.first(x))

class Keeper(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.kept = nn.Linear(dim, dim + 3)
"""


def _edited(part: str, target: str, *arguments: Any) -> list[tuple[str, str]]:
    failure = Failure("trace", "no", place(TEXT, part), operation=attempt(target, arguments))
    texts = {PATH: TEXT, OTHER: PARTS}
    found = [(one.path, applied(texts[one.path], one.changes)) for one in proposals(failure, texts.get)]
    return [(path, next(line.strip() for line in new.splitlines() if line not in texts[path])) for path, new in found]


def _inside() -> list[str]:
    layer = attempt("Conv1d", ("f32[2, 16, 5]",), "self.conv", in_channels=32, out_channels=32, kernel_size=(3,),
                    stride=(1,), padding=(0,), dilation=(1,), groups=32)  # fmt: skip
    built = place(TEXT, "nn.Conv1d(width, width, 3, groups=width)")
    layer = Attempt(layer.target, layer.arguments, layer.called, layer.settings, built)
    calls = (place(TEXT, "self.net(x)"),)
    return edited(Failure("trace", "no", place(TEXT, "self.conv(x)"), calls, layer=layer), TEXT)


def test_an_entry_before_makes_what_the_layer_of_an_entry_takes() -> None:
    assert "nn.Conv1d(dim, 2 * inner, 1)," in _inside()


def test_channels_and_groups_are_changed_together_where_their_variable_comes_from() -> None:
    found = _inside()
    assert {"inner = dim * 1", "Depthwise(dim),"} <= {*found}
    assert not any("width // 2" in one for one in found)


def test_an_entry_before_works_along_another_dim() -> None:
    assert "Gate(dim=1)," in _inside()


def test_a_class_of_another_file_made_it() -> None:
    found = _edited("h + y", "torch.Tensor.add", "f32[2, 6]", "f32[2, 9]")
    assert (OTHER, "self.last = nn.Linear(dim * 2, 9)") in found


def test_a_layer_of_a_part_made_it() -> None:
    found = _edited("u + y", "torch.Tensor.add", "f32[2, 7]", "f32[2, 9]")
    assert (OTHER, "self.first = nn.Linear(dim, 9)") in found


def test_a_class_above_has_the_layer() -> None:
    found = _edited("w + y", "torch.Tensor.add", "f32[2, 11]", "f32[2, 9]")
    assert (OTHER, "self.kept = nn.Linear(dim, 9)") in found or (OTHER, "self.kept = nn.Linear(dim, dim + 1)") in found
