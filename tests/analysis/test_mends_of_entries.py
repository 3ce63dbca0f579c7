"""Mends of what a sequence of layers lacks between two entries."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Attempt, Failure
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, 3),
            nn.LayerNorm(dim),
            Permute([0, 3, 1, 2]),
        )
        self.rows = nn.Sequential(
            nn.LayerNorm(9),
            nn.Conv1d(9, dim, 1),
            Rearrange("b c n -> b n c"),
        )
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        x = self.block(x)
        x = self.rows(x)
        return self.head(x)
"""


def _edited(part: str, layer: str, built: str, shape: str, **settings: Any) -> list[str]:
    made = attempt(built.partition("(")[0].removeprefix("nn."), (shape,), layer, **settings)
    made = Attempt(made.target, made.arguments, made.called, made.settings, place(TEXT, built))
    return edited(Failure("trace", "no", place(TEXT, part), layer=made), TEXT)


def test_what_is_turned_back_later_is_turned_before() -> None:
    found = _edited("self.block(x)", "self.block[1]", "nn.LayerNorm(dim)", "f32[1, 8, 5, 6]", normalized_shape=(8,))
    assert "Permute([0, 2, 3, 1]), nn.LayerNorm(dim)," in found


def test_a_pattern_is_undone_before() -> None:
    settings = {"in_channels": 9, "out_channels": 8, "kernel_size": (1,), "stride": (1,), "groups": 1}
    found = _edited("self.rows(x)", "self.rows[1]", "nn.Conv1d(9, dim, 1)", "f32[2, 5, 9]", **settings)
    assert 'Rearrange("b n c -> b c n"), nn.Conv1d(9, dim, 1),' in found


@pytest.mark.parametrize(
    ("shape", "entry"),
    [("f32[2, 2, 2, 2]", "nn.Flatten()"), ("f32[2, 8, 5, 5]", "nn.AdaptiveAvgPool2d(1), nn.Flatten()")],
)
def test_maps_are_made_rows_before_a_layer(shape: str, entry: str) -> None:
    found = _edited("self.head(x)", "self.head[1]", "nn.Linear(8, 4)", shape, in_features=8, out_features=4)
    assert f"self.head = nn.Sequential(nn.ReLU(), {entry}, nn.Linear(8, 4))" in found


OWN = """import torch.nn as nn
class Gate(nn.Module):
    def forward(self, x):
        x, gate = x.chunk(2, dim=-1)
        return x * gate.sigmoid()
class FeedForward(nn.Sequential):
    def __init__(self, dim, mult=4):
        hidden = dim * mult
        super().__init__(nn.Linear(dim, hidden), Gate(), nn.Linear(hidden, dim))
"""
BLOCK = """from own import FeedForward
class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ff = FeedForward(dim)
        self.head = nn.Linear(dim, 9)

    def forward(self, x):
        return self.head(self.ff(x))
"""


def test_an_entry_of_a_sequence_that_is_a_class_of_its_own_in_another_file() -> None:
    other = PATH.rpartition("/")[0] + "/own.py"
    files = {PATH: BLOCK, other: OWN}
    layer = attempt("Linear", ("f32[2, 128]",), "self.2", in_features=256, out_features=64)
    edits = proposals(Failure("trace", "no", place(BLOCK, "self.ff(x)"), layer=layer), files.get)
    lines = [line for edit in edits if edit.path == other for line in applied(OWN, edit.changes).splitlines()]
    assert "        super().__init__(nn.Linear(dim, 2 * hidden), Gate(), nn.Linear(hidden, dim))" in lines
