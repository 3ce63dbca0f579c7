"""What the user chose to see first of a file: an example, and calls where lines ran several times in it.

It is known by what it is, not by a number, so that it lasts: a client keeps what `fx/examples` says of it, and gives it
back as the initialization option `chosen`, by URI.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from fx_lsp.analysis.calls import Call, of_class, of_line
from fx_lsp.analysis.snapshot import Choice, Snapshot, Trace

MAX_FILES, MAX_CHOICES, MAX_TEXT = 1000, 200, 20_000
"""Files, choices in one of them and characters of one, as a client gives them back."""


@dataclass(frozen=True)
class Chosen:
    """Of one file."""

    example: tuple[str, str, str] | None = None
    """Scope, setup and call."""
    calls: tuple[Choice, ...] = ()

    def number(self, traces: Sequence[Trace]) -> int:
        """Of the trace that comes first; -1: none was chosen, or it is not there."""
        return next((number for number, trace in enumerate(traces) if _example(trace) == self.example), -1)

    def with_example(self, snapshot: Snapshot, number: int) -> Chosen | None:
        """With the trace of that number; None where there is none."""
        if not 0 <= number < len(snapshot.traces):
            return None
        return replace(self, example=_example(snapshot.traces[number]))

    def with_call(self, snapshot: Snapshot, line: int, number: int) -> Chosen | None:
        """With the call of that number in the list of `calls`; None where there is none."""
        found = calls(snapshot, line)
        if not 0 <= number < len(found):
            return None
        new = found[number].choice
        others = [one for one in self.calls if (one.place, one.name) != (new.place, new.name)]
        return replace(self, calls=(*others[-MAX_CHOICES + 1 :], new))

    def written(self) -> dict[str, Any]:
        """As a client keeps it."""
        calls = [{"place": one.place, "shown": one.shown, "name": one.name} for one in self.calls]
        return {"example": list(self.example) if self.example is not None else None, "calls": calls}


def calls(snapshot: Snapshot, line: int) -> list[Call]:
    """What can be chosen at a line, from 1: calls of its class, then values of its names."""
    return [*of_class(snapshot, line), *of_line(snapshot, line)]


def read(data: Any) -> Chosen:
    """What a client kept; what is not understood of it is left out."""
    data = data if isinstance(data, Mapping) else {}
    example, listed = data.get("example"), data.get("calls")
    parts = [part for part in example if _fits(part)] if isinstance(example, list) else []
    found: list[Choice] = []
    for one in islice(listed if isinstance(listed, list) else (), MAX_CHOICES):
        texts = [one.get(name) for name in ("place", "shown", "name")] if isinstance(one, Mapping) else []
        if texts and all(map(_fits, texts)):
            found.append(Choice(*map(str, texts)))
    return Chosen((parts[0], parts[1], parts[2]) if len(parts) == 3 else None, tuple(found))


def _example(trace: Trace) -> tuple[str, str, str]:
    return trace.example.scope, trace.example.setup, trace.call


def _fits(text: object) -> bool:
    return isinstance(text, str) and len(text) <= MAX_TEXT
