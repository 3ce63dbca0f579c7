"""How far in lines of code start."""

from __future__ import annotations


def depth(line: str) -> int:
    """Spaces and tabs before its first other sign; all of a blank line."""
    return len(line) - len(line.lstrip())
