"""Code actions: one file per action, found by folder; each edits the text and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span

Changes = tuple[tuple[Span, str], ...]
"""What is replaced, and by what; an empty span inserts."""


@dataclass(frozen=True)
class Edit:
    """Replacements in one file; none overlaps another."""

    title: str
    """What it does here, for the menu."""
    path: str
    changes: Changes


def applied(text: str, changes: Iterable[tuple[Span, str]]) -> str:
    """The text of one file with what is replaced in it; what is put at one place comes in the order that it has."""
    places = columns(text)
    for span, new in reversed(sorted(changes, key=lambda change: change[0])):
        start, end = places.offsets(span)
        text = text[:start] + new + text[end:]
    return text


@dataclass(frozen=True)
class Action:
    """An edit that may be on offer at a place."""

    id: str
    title: str
    find: Callable[[Snapshot, int, int], Edit | None]
    """(snapshot, line from 1, UTF-8 column): None when it is not on offer there."""
    kind: str = "quickfix"
    """As LSP names kinds of actions."""
