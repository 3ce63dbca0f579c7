"""Nothing of a trace is left: no process, no descriptor, no file; and nothing of the server when it is killed."""

from __future__ import annotations

from tests.hostile.conftest import brief
from tests.hostile.runs import Run


def test_many_traces_leave_nothing(many: Run) -> None:
    for _ in brief() * 2:
        row = many.next_row()
        assert row.harm == {}, row
    end = many.end()
    assert end["counts"] == many.ready["counts"]
    assert (end["left"], end["files"]) == ([], [])
