"""Torch is warmed once, as the zygote does."""

import gc

import pytest

from fx_lsp.worker.warm import warm_up
from tests.worker.leaving import left_out as left_out


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    warm_up()
    gc.collect()
    gc.freeze()  # as the zygote does: the collector of a child must not touch, and so copy, the pages it shares with us
