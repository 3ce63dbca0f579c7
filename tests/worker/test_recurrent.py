"""Recurrent layers on fake tensors give what real ones give, and take no time for each step."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.value import label
from tests.worker.tracing import trace

MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = {layer}

    def forward(self, x):
        y, state = self.rnn({given})
        strides = torch.zeros(1 + y.stride(0), 1 + y.stride(1)), torch.zeros(1 + state.stride(0), 1 + state.stride(1))
        asks = torch.zeros(1 + y.requires_grad, 1 + state.requires_grad, 1 + y.is_contiguous())
        return y, state, strides, asks
"""
LAYERS = [
    ("nn.GRU(8, 4)", "f32[9, 3, 8]", "x"),
    ("nn.GRU(8, 4, 2, batch_first=True)", "f32[3, 9, 8]", "x"),
    ("nn.GRU(8, 4, 2, bidirectional=True, dropout=0.5, bias=False)", "f32[9, 3, 8]", "x, torch.zeros(4, 3, 4)"),
    ("nn.GRU(8, 4, batch_first=True)", "f32[9, 8]", "x"),
    ("nn.GRU(8, 4)", "f32[2, 3, 8]", "x"),
    ("nn.RNN(8, 4, 2, bidirectional=True, batch_first=True)", "f32[3, 9, 8]", "x"),
    ("nn.RNN(8, 4, nonlinearity='relu').double()", "f64[9, 3, 8]", "x"),
    ("nn.GRU(8, 4).requires_grad_(False)", "f32[9, 3, 8]", "x"),
]


def bound(tmp_path: Path, source: str, call: str, engine: str) -> list[tuple[str, list[str]]]:
    """What each name is, as it is written."""
    reply = trace(tmp_path, source, call, engine=engine)
    assert reply.failure is None, reply.failure
    assert (reply.engine, reply.fallback) == (engine, "")
    return [(one.name, [label(variant.value) for variant in one.variants]) for one in reply.bindings]


@pytest.mark.parametrize(("layer", "shape", "given"), LAYERS)
def test_sizes_and_strides_are_those_of_real_ones(tmp_path: Path, layer: str, shape: str, given: str) -> None:
    source, call = MODEL.format(layer=layer, given=given), f"Net()({shape})"
    assert bound(tmp_path, source, call, "fake") == bound(tmp_path, source, call, "real")


def test_gradients_go_to_all_that_it_is_made_of(tmp_path: Path) -> None:
    source = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 4, 2, bidirectional=True)

    def forward(self, x):
        x = x.requires_grad_()
        self.rnn(x)[0].sum().backward()
        kept = [x.grad, *(one.grad for one in self.rnn.parameters())]
        shapes = torch.zeros(len([one for one in kept if one is not None]))
        grad = x.grad
        return shapes, grad
"""
    fake, real = (bound(tmp_path, source, "Net()(f32[9, 3, 8])", engine) for engine in ("fake", "real"))
    assert fake == real
    assert ("shapes", ["f32[17]"]) in fake


@pytest.mark.parametrize("given", ["x, torch.zeros(1, 2, 4)", "x[..., :5]", "x.double()", "x.long()"])
def test_what_real_ones_refuse_is_refused(tmp_path: Path, given: str) -> None:
    failed = [
        trace(tmp_path, MODEL.format(layer="nn.GRU(8, 4)", given=given), "Net()(f32[9, 3, 8])", engine=engine).failure
        for engine in ("fake", "real")
    ]
    assert all(failed), failed
    assert len({one.span for one in failed if one is not None}) == 1
