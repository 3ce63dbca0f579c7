"""Mends of what a sequence of layers lacks between two entries."""

from __future__ import annotations

from typing import Any

import pytest

from fx_lsp.model.failure import Attempt, Failure
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
