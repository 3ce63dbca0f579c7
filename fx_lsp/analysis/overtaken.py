"""Facts of an older text that must not stand beside newer ones: what an edit changed in one run, it changed in all."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from fx_lsp.analysis.naming import told_apart
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.span import Span
from fx_lsp.model.value import Value

Found = tuple[Value | tuple[Value, ...], ...]


def overtaken(reruns: Iterable[tuple[Trace, Trace]]) -> set[Span]:
    """Where examples found something else than before the edit; of each its older run, moved along, and its newer."""
    return {
        span
        for older, newer in reruns
        for was, now in zip(_facts(older), _facts(newer), strict=True)
        for span, found in now.items()
        if was.get(span) != found
    }


def without(trace: Trace, places: Container[Span]) -> Trace:
    """The older trace, with nothing at these places."""
    bindings = tuple(fact for fact in trace.reply.bindings if fact.span not in places)
    operations = tuple(fact for fact in trace.reply.operations if fact.span not in places)
    return replace(trace, reply=replace(trace.reply, bindings=bindings, operations=operations))


def _facts(trace: Trace) -> tuple[dict[Span, Found], dict[Span, Found]]:
    """Without what says where in the model it was: numbers of lines and of runs change with any edit."""
    return (
        {fact.span: tuple(told_apart(variant.value) for variant in fact.variants) for fact in trace.reply.bindings},
        {
            fact.span: tuple(tuple(map(told_apart, (*variant.inputs, variant.output))) for variant in fact.variants)
            for fact in trace.reply.operations
        },
    )
