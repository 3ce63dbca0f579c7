"""One small change of any expression on the way, where nothing else is known to mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import MAX_FURTHER, further
from fx_lsp.analysis.mends._seen import Seen
from tests.worker.tracing import trace

MODEL = """
import torch
import torch.nn.functional as F
from torch import nn

def pyramid(x):
    c3 = x[:, :4]
    c4 = x
    return FIRST

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Conv2d(4, 2, 1), nn.Conv2d(8, 2, 1)
        self.unshuffle, self.norm = UNSHUFFLE(2), nn.LayerNorm(8)

    def bell(self, radius):
        side = torch.arange(-radius, RADIUS)
        return side[:, None] * side[None, :]

    def forward(self, x, radius=2):
        c3, c4 = pyramid(x)
        y = self.two(self.one(c3) * 0 + 1 if x is None else c4) + self.one(c3)
        y = self.unshuffle(y).mean((2, 3)) TAIL
        maps = torch.zeros(5, 5)
        maps[:] = self.bell(radius)
        return self.norm(y), maps
"""
RIGHT = {"FIRST": "c3, c4", "UNSHUFFLE": "nn.PixelUnshuffle", "RADIUS": "radius + 1", "TAIL": "+ 0"}


def _mended(folder: Path, wrong: dict[str, str]) -> list[str]:
    """All texts that are proposed for the model with something wrong."""
    source, call = MODEL, "Net()(f32[2, 8, 6, 6])"
    for name, text in {**RIGHT, **wrong}.items():
        source = source.replace(name, text)
    reply = trace(folder, source, call)
    assert reply.failure is not None
    path = str(folder / "model.py")
    edits = further(reply.failure, {path: source}.get, (), Seen.of(reply))
    assert len(edits) <= MAX_FURTHER
    return [applied(source, edit.changes) for edit in edits]


def _as_it_was() -> str:
    source = MODEL
    for name, text in RIGHT.items():
        source = source.replace(name, text)
    return source


@pytest.mark.parametrize(
    "wrong",
    [{"FIRST": "c4, c3"}, {"UNSHUFFLE": "nn.PixelShuffle"}, {"RADIUS": "radius"}],
    ids=["order", "layer", "one-too-few"],
)
def test_what_was_written_there_before_is_among_them(tmp_path: Path, wrong: dict[str, str]) -> None:
    assert trace(tmp_path, _as_it_was(), "Net()(f32[2, 8, 6, 6])").failure is None
    assert _as_it_was() in _mended(tmp_path, wrong)


def test_nothing_is_made_of_names_that_are_called_of_modules_or_of_places_that_are_set(tmp_path: Path) -> None:
    texts = _mended(tmp_path, {"RADIUS": "radius"})
    for other in ("pyramid + 1", "torch + 1", "2 * self", "2 * torch", "maps = self", "= self\n"):
        assert not any(other in text for text in texts)
