"""Numbers of parts that a size can be divided into."""

from __future__ import annotations

MAX_NEAR = 3
"""Numbers for one size."""


def near(count: int, size: int) -> list[int]:
    """The numbers that divide a size, those nearest to a count first."""
    found = [one for one in range(1, min(size, 2 * count) + 1) if size % one == 0 and one != count]
    return sorted(found, key=lambda one: (abs(one - count), -one))
