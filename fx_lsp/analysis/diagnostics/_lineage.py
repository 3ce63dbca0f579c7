"""What is known of values that operations took, wherever in the workspace these were made."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Lineage


def lineages(snapshot: Snapshot, targets: Container[str], made: Container[str]) -> Iterator[Lineage]:
    """Of this file and of its present text, what operations of these names took that was made so, each place once."""
    found: dict[tuple[Span, str, str], Lineage] = {}
    others: set[tuple[Span, str, str]] = set()
    for trace in snapshot.traces:
        for one in trace.reply.lineage if not trace.older else ():
            if one.span.path == snapshot.path and one.target in targets:
                place = (one.span, one.target, one.argument)
                if found.setdefault(place, one).made != one.made:
                    others.add(place)
    yield from (one for place, one in found.items() if place not in others and one.made in made)


def besides(told: Iterable[Problem], more: Iterable[Problem]) -> Iterator[Problem]:
    """Both, each place once."""
    places: set[Span] = set()
    for one in told:
        places.add(one.span)
        yield one
    yield from (one for one in more if one.span not in places)
