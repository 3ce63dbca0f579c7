"""Several examples in one process: each is answered as if it had run by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.model.messages import Further, TraceReply
from tests.worker.tracing import trace

NET = """
import torch
from torch import nn

CACHE = {}


class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.fc = nn.Linear(8, width)

    def forward(self, x):
        table = CACHE.setdefault(x.shape, torch.ones(8))
        y = self.fc(x + table)
        return y


class Cuda(nn.Module):
    def forward(self, x):
        return x.cuda()


class Slow(nn.Module):
    def forward(self, x):
        while True:
            x = x + 1
"""

CALLS = ("Net()(f32[2, 8])", "Net(5)(f32[3, 8])", "Net()(f32[2, 7])", "Cuda()(f32[2])", "Net()(f32[2, 8]).sum().item()")


def facts(reply: TraceReply) -> TraceReply:
    """What must not depend on company."""
    failure = replace(reply.failure, detail="") if reply.failure is not None else None
    return replace(
        reply, id=0, ms=0.0, import_ms=0.0, files=(), further=(), dispatched="", imported="", failure=failure, log=""
    )


@pytest.mark.parametrize("engine", ["fake", "real"])
def test_each_is_as_alone(tmp_path: Path, engine: str) -> None:
    first, *others = CALLS
    together = trace(tmp_path, NET, first, engine=engine, further=tuple(Further("", call) for call in others))
    assert len(together.further) == len(others)
    alone = [trace(tmp_path, NET, call, engine=engine) for call in CALLS]
    assert [facts(reply) for reply in (together, *together.further)] == [facts(reply) for reply in alone]
    assert all(reply.files == () for reply in together.further)


def test_there_is_no_time_for_all(tmp_path: Path) -> None:
    further = (Further("", "Net()(f32[2, 8])"), Further("", "Slow()(f32[2])"), Further("", "Net()(f32[2, 8])"))
    reply = trace(tmp_path, NET, "Net()(f32[2, 8])", seconds=3.0, further=further)
    assert reply.failure is None
    assert [one.failure is None for one in reply.further] == [True, False]


def test_setup_of_one_is_not_that_of_another(tmp_path: Path) -> None:
    further = (Further("width = 6", "Net(width)(f32[2, 8])"), Further("", "Net(width)(f32[2, 8])"))
    reply = trace(tmp_path, NET, "Net()(f32[2, 8])", further=further)
    assert [one.failure and one.failure.message for one in reply.further] == [
        None,
        "NameError: name 'width' is not defined",
    ]
