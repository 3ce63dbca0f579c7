"""Time limits of what nobody looks at on a machine that is busy."""

from __future__ import annotations

import os

import pytest

from fx_lsp.server.crowding import patience


@pytest.mark.parametrize(
    ("load", "expected"), [(0.1, 20.0), (2.0, 20.0), (2.4, 20.0), (5.0, 50.0), (60.0, 60.0)], ids=str
)
def test_as_many_times_as_there_are_processes_for_a_processor(
    monkeypatch: pytest.MonkeyPatch, load: float, expected: float
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert patience(20.0) == expected


def test_where_nobody_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg")
    assert patience(0.5) == 0.5
