"""The line above each module class: `i64[2, 16] → f32[2, 16, 50304] · 124.4 M params · from call`."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.value import label

@dataclass(frozen=True)
class Lens:
    """A line above a class."""

    span: Span
    """The name of the class."""
    title: str


def lenses(snapshot: Snapshot) -> tuple[Lens, ...]:
    """One for each class that ran."""
    found = [_lens(entry, snapshot) for entry in coverage(snapshot)]
    return tuple(lens for lens in found if lens is not None)


def _lens(entry: Coverage, snapshot: Snapshot) -> Lens | None:
    module = entry.module
    if entry.use is None or entry.trace is None:
        return None
    use, example = entry.use, entry.trace.example
    parts = [", ".join(map(label, use.inputs)) or "()"]
    parts[0] += f" → {label(use.output)}" if use.output is not None else " → ✗" if entry.status == "partial" else ""
    if use.parameters:
        parts.append(f"{count(use.parameters)} params")
    if example.target == module.name and example.scope == snapshot.path:
        parts.append(f"from {example.origin}")
    else:
        parts.append(f"in {example.target or entry.trace.call}" + (f" at {use.module}" if use.module else ""))
    if len(entry.examples) > 1:
        parts.append(f"{len(entry.examples)} examples")
    return Lens(module.name_span, " · ".join(map(_cut, parts)))


def count(number: int) -> str:
    """`124.4 M`, `1.5 k`, `12`."""
    for size, unit in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else flat[:159] + "…"
