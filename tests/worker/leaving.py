"""Traces with and without leaving out what would be repeated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.model.messages import TraceReply
from fx_lsp.worker import run
from fx_lsp.worker.repeats import Repeats
from tests.worker.tracing import trace

HEAD = """\
import itertools
import torch
from torch import nn
import torch.nn.functional as F

SEEN, N, NUMBERS, COUNT = [], 0, list(range(8, 40)), itertools.count()

"""
Leaving = Callable[..., tuple[TraceReply, list[str]]]


@pytest.fixture
def left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Leaving:
    """Trace on fake tensors: the answer, and the paths of the modules that were left out."""
    log = tmp_path / "left_out"

    class Noted(Repeats):
        def _count(self, known: Any, path: str) -> None:
            super()._count(known, path)
            with log.open("a") as lines:
                lines.write(f"{path}\n")

    class Never(Repeats):
        def begin(self, *args: Any) -> None:
            pass

    def traced(source: str, call: str, *, leave: bool = True, **options: Any) -> tuple[TraceReply, list[str]]:
        monkeypatch.setattr(run, "Repeats", Noted if leave else Never)
        log.write_text("")
        reply = trace(tmp_path, HEAD + source, call, **options)
        return reply, log.read_text().split()

    return traced


def facts(reply: TraceReply) -> tuple[Any, ...]:
    """All that is shown of a run."""
    return reply.bindings, reply.operations, reply.modules, reply.reached


def assert_true(left_out: Leaving, source: str, call: str, **options: Any) -> list[str]:
    """What is left out changes nothing of what is shown; the paths of that."""
    with_it, paths = left_out(source, call, **options)
    without, none = left_out(source, call, leave=False, **options)
    assert with_it.failure is None, with_it.failure.detail
    assert not none
    assert facts(with_it) == facts(without)
    return paths
