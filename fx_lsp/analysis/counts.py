"""Numbers for people."""

from __future__ import annotations


def count(number: int) -> str:
    """`124.4 M`, `1.5 k`, `12`."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size * 0.99995:
            return f"{number / size:.1f} {unit}"
    return str(number)
