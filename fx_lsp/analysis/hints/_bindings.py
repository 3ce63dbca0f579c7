"""Hints from bindings: the variants of all traces at one place, merged."""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.calls import chosen_first
from fx_lsp.analysis.hints import Hint
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.variants import merged, ranked, title
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding


def bound(snapshot: Snapshot, kind: str, roles: Container[str]) -> Iterator[Hint]:
    """One hint for each place of this file where a name of one of the roles was bound."""
    places: dict[tuple[Span, str], list[tuple[int, Binding]]] = {}
    for number, trace in ranked(snapshot):
        for binding in trace.reply.bindings:
            if binding.role in roles and binding.span.path == snapshot.path:
                places.setdefault((binding.span, binding.name), []).append((number, binding))
    for (span, name), found in places.items():
        variants = merged(variant for _, binding in found for variant in binding.variants)
        if variants:
            variants, first = chosen_first(snapshot, span, name, variants)
            label = title([variant.value for variant in variants], first=first or snapshot.shown >= 0)
            numbers = tuple(dict.fromkeys(number for number, _ in found))
            older = any(snapshot.traces[number].older for number in numbers)
            yield Hint(span, name, label, kind, variants, numbers, older)
