"""Mends of what a pixel shuffle takes out of the channels."""

from __future__ import annotations

import pytest

from fx_lsp.model.failure import Failure
from tests.analysis.test_mends import attempt, edited, place

CONV = """import torch
import torch.nn.functional as F

class Up(nn.Module):
    def __init__(self, dim, out, scale=2):
        self.scale = scale
        self.conv = nn.Conv2d(dim, {size}, 3, padding=1)
        self.shuffle = nn.PixelShuffle(scale)
        self.next = nn.Conv2d(out, out, 3)

    def forward(self, x):
        x = {shuffled}
        return self.next(x)
"""
SEQUENCE = """class Up(nn.Module):
    def __init__(self, dim, out):
        self.up = nn.Sequential(nn.Conv2d(dim, {size}, 3, padding=1), nn.PixelShuffle(2), nn.ReLU())

    def forward(self, x, y):
        return self.up(x) + y
"""


@pytest.mark.parametrize(
    "shuffled",
    [
        "F.pixel_shuffle(self.conv(x), self.scale)",
        "self.shuffle(self.conv(x))",
        "torch.pixel_shuffle(self.conv(x), scale)",
    ],
)
@pytest.mark.parametrize(("size", "wanted"), [("out * scale", "out * scale * scale"), ("out", "out * scale**2")])
def test_the_factor_twice(shuffled: str, size: str, wanted: str) -> None:
    text = CONV.format(shuffled=shuffled, size=size)
    layer = attempt("Conv2d", ("f32[2, 16, 8, 8]",), "self.next", in_channels=32, out_channels=32)
    found = edited(Failure("trace", "no", place(text, "self.next(x)"), layer=layer), text)
    assert f"self.conv = nn.Conv2d(dim, {wanted}, 3, padding=1)" in found


@pytest.mark.parametrize(("size", "wanted"), [("out", "out * 4"), ("2 * out", "2 * out * 2")])
def test_in_a_sequence(size: str, wanted: str) -> None:
    text = SEQUENCE.format(size=size)
    operation = attempt("torch.Tensor.__add__", ("f32[2, 8, 16, 16]", "f32[2, 32, 16, 16]"))
    found = edited(Failure("trace", "no", place(text, "self.up(x) + y"), operation=operation), text)
    assert any(f"nn.Conv2d(dim, {wanted}, 3, padding=1)" in one for one in found)


def test_what_has_both_factors_stays() -> None:
    text = CONV.format(shuffled="F.pixel_shuffle(self.conv(x), self.scale)", size="out * scale**2")
    layer = attempt("Conv2d", ("f32[2, 16, 8, 8]",), "self.next", in_channels=32, out_channels=32)
    found = edited(Failure("trace", "no", place(text, "self.next(x)"), layer=layer), text)
    assert not any("scale**2 *" in one or "* scale * scale" in one for one in found)
