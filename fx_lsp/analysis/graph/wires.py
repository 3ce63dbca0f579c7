"""Which values come into and leave each scope of a tree of scopes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Numbers = dict[int, int]
"""Values of one border, each with its number there."""


@dataclass(frozen=True)
class Wires:
    """Of each scope, by its index."""

    entries: list[Numbers]
    """Values that come in, in order of their first use."""
    exits: list[Numbers]
    """Values that leave, in order of their making."""


def wire(
    parents: Sequence[int], home: Sequence[int], uses: Iterable[tuple[int, Sequence[int]]], maker: Sequence[int]
) -> Wires:
    """Lift each use to the scope that has both its ends.

    `parents` has each scope's parent, which stands before it; `home` each node's scope; `uses` nodes with the values
    that they read, in order; `maker` the node that makes each value.
    """
    entries: list[Numbers] = [{} for _ in parents]
    exits: list[Numbers] = [{} for _ in parents]
    for node, values in uses:
        for value in values:
            inner, outer = home[node], home[maker[value]]
            while inner != outer:
                if inner > outer:
                    if value in entries[inner]:
                        break  # it is known to come in there, and so the way up to its maker
                    entries[inner][value] = len(entries[inner])
                    inner = parents[inner]
                else:
                    exits[outer][value] = 0
                    outer = parents[outer]
    return Wires(entries, [{value: number for number, value in enumerate(sorted(found))} for found in exits])
