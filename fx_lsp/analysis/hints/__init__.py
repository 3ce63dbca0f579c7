"""Inlay hints: one file per kind, found by folder.

To add a kind, copy a file: its `HINT` says what it is called and finds its hints in a snapshot.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import cache

from fx_lsp.analysis.markdown import code, plain
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Variant
from fx_lsp.model.value import concrete, label

MAX_LISTED = 12
"""Variants listed in a tooltip."""
MAX_PATHS = 4
"""Module paths named for one variant."""


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
    variants: tuple[Variant, ...] = ()
    examples: tuple[int, ...] = ()
    """Numbers of the snapshot's traces that bound the name."""
    stale: bool = False
    tooltip: str = ""
    """What to say instead of the list of variants."""


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
            except Exception as error:  # a defect of one kind must not take the others along
                log(f"hint kind {kind.id} failed: {type(error).__name__}: {error}")
    return tuple(sorted(found, key=lambda hint: (hint.span.end_line, hint.span.end_column)))


def tooltip(hint: Hint, snapshot: Snapshot) -> str:
    """Markdown: every variant with the modules it occurred in, then the examples that made them."""
    if hint.tooltip:
        return hint.tooltip
    lines = [_variant(variant) for variant in hint.variants[:MAX_LISTED]]
    if len(hint.variants) > MAX_LISTED:
        lines.append(f"… and {len(hint.variants) - MAX_LISTED} more")
    traces = [snapshot.traces[index] for index in hint.examples if index < len(snapshot.traces)]
    origins = dict.fromkeys(f"from {trace.example.origin} {code(trace.call)}" for trace in traces)
    notes = [*origins, *(["of an older text"] if hint.stale else [])]
    return "\n\n".join(["  \n".join(lines), *notes])


def _variant(variant: Variant) -> str:
    shown = label(variant.value)
    sizes = concrete(variant.value)
    text = code(shown) + (f" (this run: {code(sizes)})" if "u" in shown and len(sizes) < 80 and sizes != shown else "")
    paths = [path for path in variant.modules if path]
    if paths:
        more = f", … {len(paths) - MAX_PATHS} more" if len(paths) > MAX_PATHS else ""
        text += f" in {', '.join(map(plain, paths[:MAX_PATHS]))}{more}"
    return text
