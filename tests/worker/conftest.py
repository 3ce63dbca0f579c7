"""Torch is warmed once, as the zygote does."""

import pytest

from fx_lsp.worker.warming import warm_up
from tests.worker.leaving import left_out as left_out


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    warm_up()
