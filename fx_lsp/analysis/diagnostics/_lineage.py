"""What is known of values that operations took, wherever in the workspace these were made."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Set

from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Lineage


def lineages(snapshot: Snapshot, targets: Container[str], made: Set[str]) -> Iterator[Lineage]:
    """Of this file and of its present text, what operations of these names took that was always made so."""
    found: dict[tuple[Span, str, str], dict[str, Lineage]] = {}
    for trace in snapshot.traces:
        for one in trace.reply.lineage if not trace.older else ():
            if one.span.path == snapshot.path and one.target in targets:
                found.setdefault((one.span, one.target, one.argument), {}).setdefault(one.made, one)
    for ways in found.values():
        yield from (one for one in ways.values() if one.made in made and (len(ways) == 1 or made >= ways.keys()))


def besides(told: Iterable[Problem], more: Iterable[Problem]) -> Iterator[Problem]:
    """Both, each place once."""
    places: set[Span] = set()
    for one in told:
        places.add(one.span)
        yield one
    for one in more:
        if one.span not in places:
            places.add(one.span)
            yield one
