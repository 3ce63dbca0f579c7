"""Inlay hints: one file per kind, found by folder.

To add a kind, copy a file: its `HINT` says what it is called and finds its hints in a snapshot.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from fx_lsp.analysis.markdown import code, plain
from fx_lsp.analysis.naming import imposed
from fx_lsp.analysis.origins import came_from, engine_notes
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.variants import MAX_LISTED, ranges, sizes, unknowns, where
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Variant
from fx_lsp.model.value import label

MAX_EXAMPLES = 6
"""Examples listed in a tooltip."""


@dataclass(frozen=True)
class Hint:
    """A text drawn after a name."""

    span: Span
    """The name; the hint is drawn at its end."""
    name: str
    label: str
    """Without the colon: `f32[2, 3]`, `f32[2, 64, 56, 56] +3`."""
    kind: str
    """Id of the kind that found it."""
    variants: tuple[Variant, ...]
    """Every distinct value over all traces, the one shown first."""
    examples: tuple[int, ...]
    """Numbers of the snapshot's traces that bound the name."""
    stale: bool = False
    """Some of it is of an older text, moved along with it."""


@dataclass(frozen=True)
class HintKind:
    """How hints of one kind are found."""

    id: str
    title: str
    find: Callable[[Snapshot], Iterable[Hint]]


@cache
def kinds() -> tuple[HintKind, ...]:
    """Every kind in this folder, by file name."""
    return tuple(collect(sys.modules[__name__], "HINT").values())


def all_hints(
    snapshot: Snapshot, enabled: Container[str] | None = None, log: Callable[[str], None] = lambda text: None
) -> tuple[Hint, ...]:
    """The hints of the enabled kinds (None: of all), by place.  A kind that fails is logged; the others answer."""
    found: list[Hint] = []
    for kind in kinds():
        if enabled is None or kind.id in enabled:
            try:
                found.extend(kind.find(snapshot))
            except Exception:  # a defect of one kind must not take the others along
                log(f"hint kind {kind.id} failed on {snapshot.path}:\n{traceback.format_exc()}")
    return tuple(sorted(found, key=lambda hint: (hint.span.end_line, hint.span.end_column)))


def tooltip(hint: Hint, snapshot: Snapshot) -> str:
    """Markdown: every variant with the modules it occurred in, then the examples that made them."""
    values = [variant.value for variant in hint.variants]
    notes = imposed(values, snapshot, hint.examples)
    return "\n\n".join([*_said(hint.variants), *notes, *sources(snapshot, hint.examples)])


@lru_cache(maxsize=2048)
def _said(variants: tuple[Variant, ...]) -> tuple[str, ...]:
    """Kept, since most stay the same from one edit to the next, and some clients ask for all after each."""
    lines = [_variant(variant) for variant in variants[:MAX_LISTED]]
    if len(variants) > MAX_LISTED:
        lines.append(f"- and {len(variants) - MAX_LISTED} more")
    values = [variant.value for variant in variants]
    return ("\n".join(lines), *ranges(values), *unknowns(values))


def sources(snapshot: Snapshot, examples: Iterable[int]) -> list[str]:
    """Markdown: the examples with these numbers, where they come from, and how they were run."""
    traces = [snapshot.traces[number] for number in examples if number < len(snapshot.traces)]
    lines = [f"{plain(came_from(trace, snapshot.path))}: {code(trace.call)}" for trace in traces[:MAX_EXAMPLES]]
    if len(traces) > MAX_EXAMPLES:
        lines.append(f"and {len(traces) - MAX_EXAMPLES} more examples")
    lines += [plain(note) for note in dict.fromkeys(note for trace in traces for note in engine_notes(trace))]
    if any(trace.older for trace in traces):
        lines.append("of an older text")
    return lines


def _variant(variant: Variant) -> str:
    facts = [code(label(variant.value)), *sizes(variant.value), *where(variant.modules, variant.count)]
    return "- " + " · ".join(facts)
