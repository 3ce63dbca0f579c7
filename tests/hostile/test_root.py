"""Whoever runs the server as root is as safe."""

from __future__ import annotations

import pytest

from tests.hostile.conftest import representative
from tests.hostile.runs import Run


@pytest.mark.parametrize("name", representative())
def test_no_harm_and_the_next_is_answered(root: Run, name: str) -> None:
    row = root.row(name)
    assert row.harm == {}, row
