"""A limit of time holds even if it passes while nothing can be raised."""

from __future__ import annotations

import time

import pytest

from fx_lsp.worker.alarm import limited


class Late(BaseException):
    """The time is over."""


class Slow:
    """Takes long to be deleted."""

    def __del__(self) -> None:
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_lost_in_a_deletion_is_raised_again() -> None:
    started = time.monotonic()
    with pytest.raises(Late), limited(0.1, Late):  # noqa: PT012
        Slow()
        while time.monotonic() < started + 20:
            pass
    assert time.monotonic() < started + 10
