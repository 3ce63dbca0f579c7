"""What a spare does while it waits: a run in small, so that the pages that any run writes to are its own by then."""

from __future__ import annotations

from typing import Callable


def touch(asked: Callable[[], bool]) -> None:
    """Stops as soon as a request is there."""
