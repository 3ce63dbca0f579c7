"""With all layers no module does harm, and the model after it is answered."""

from __future__ import annotations

import pytest

from tests.hostile.conftest import HOSTILE
from tests.hostile.runs import Run


@pytest.mark.parametrize("name", HOSTILE)
def test_no_harm_and_the_next_is_answered(of_stranger: Run, name: str) -> None:
    row = of_stranger.row(name)
    assert row.harm == {}, row
