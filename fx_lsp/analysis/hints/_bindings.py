"""Hints from bindings: the variants of all traces at one place, merged."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from fx_lsp.analysis.hints import Hint
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Variant
from fx_lsp.model.value import Value, label


def bound(snapshot: Snapshot, kind: str, roles: Container[str]) -> Iterator[Hint]:
    """One hint for each place of this file where a name of one of the roles was bound."""
    variants: dict[tuple[Span, str], dict[Value, Variant]] = {}
    examples: dict[tuple[Span, str], dict[int, None]] = {}
    for number, trace in enumerate(snapshot.traces):
        for binding in trace.reply.bindings:
            if binding.role in roles and binding.span.path == snapshot.path:
                place = (binding.span, binding.name)
                examples.setdefault(place, {})[number] = None
                _merge(variants.setdefault(place, {}), binding.variants)
    for place, merged in variants.items():
        span, name = place
        found = tuple(merged.values())
        yield Hint(span, name, _label(found), kind, found, tuple(examples[place]), snapshot.stale)


def _merge(into: dict[Value, Variant], variants: tuple[Variant, ...]) -> None:
    for variant in variants:
        known = into.get(variant.value)
        if known is not None:
            paths = tuple(dict.fromkeys((*known.modules, *variant.modules)))
            variant = replace(known, modules=paths, count=known.count + variant.count)
        into[variant.value] = variant


def _label(variants: tuple[Variant, ...]) -> str:
    """The first variant, and how many others look different."""
    labels = list(dict.fromkeys(label(variant.value) for variant in variants))
    return labels[0] if len(labels) == 1 else f"{labels[0]} +{len(labels) - 1}"
