"""Layers that are for some ranks, which a table in them says."""

from __future__ import annotations

import torch
from torch import nn

from fx_lsp.worker.inference.attempts import run
from fx_lsp.worker.inference.demands import edits
from fx_lsp.worker.inference.groups import grouped
from fx_lsp.worker.inference.inputs import Tensor
from fx_lsp.worker.inference.watch import Watch


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.recipes = {2: "b d -> b d", 4: "b d h w -> b (h w) d"}

    def forward(self, x):
        return self.recipes[x.ndim]


def test_another_rank_and_no_key_is_asked_for() -> None:
    layer = Layer()
    attempt = run(lambda: layer(torch.ones(2, 3, 4)), Watch(), 5.0)
    given = {"x": Tensor("f32", (2, 16, 64))}
    tried = [str(change["x"]) for change in edits(attempt, given, ["x"])]
    assert tried[:2] == ["f32[2, 64]", "f32[2, 64, 32, 32]"]
    assert not list(grouped(attempt, given, ["x"], "layer(x)", lambda name: [given["x"]]))


def test_the_rank_that_a_message_says_is_that_of_all() -> None:
    message = "y_pred should have 4 dimensions (batch, channel, height, width), got 3."

    def fails() -> None:
        raise ValueError(message)

    given = {"x": Tensor("f32", (2, 16, 64)), "y": Tensor("f32", (2, 16, 64))}
    changes = edits(run(fails, Watch(), 5.0), given, [])
    ranks = [{len(one.shape) for one in change.values() if isinstance(one, Tensor)} for change in changes]
    assert {4} in ranks
