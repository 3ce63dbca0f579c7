"""Several calls of the same lines in one run: which there are, and which of them is shown first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.snapshot import Choice, ModuleClass, Snapshot
from fx_lsp.analysis.variants import MAX_LISTED, merged, ranked
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, OperationVariant, Variant
from fx_lsp.model.value import Value, concrete

Kind = TypeVar("Kind", Variant, OperationVariant)


@dataclass(frozen=True)
class Call:
    """One of several, as it can be chosen."""

    choice: Choice
    inputs: tuple[Value, ...]
    """Of a class: what its function that ran first took; of a line: nothing."""
    output: Value | None
    """What that returned, where it is known; of a line: the value."""
    modules: tuple[str, ...]
    """Where it ran."""
    shown: bool = False


def chosen_first(snapshot: Snapshot, span: Span, name: str, variants: Sequence[Kind]) -> tuple[tuple[Kind, ...], bool]:
    """The variants of a place, that of the chosen call before the others; and whether it is among them."""
    matches = _matching(snapshot, span, name) if len(variants) > 1 and snapshot.chosen else None
    if matches is None or not any(map(matches, variants)):
        return tuple(variants), False
    return tuple(sorted(variants, key=lambda one: not matches(one))), True


def of_line(snapshot: Snapshot, line: int) -> list[Call]:
    """The values that each name had on a line where one of them had several."""
    places: dict[tuple[Span, str], list[Variant]] = {}
    for _, trace in ranked(snapshot):
        for binding in trace.reply.bindings:
            if binding.span.path == snapshot.path and binding.span.end_line == line:
                places.setdefault((binding.span, binding.name), []).extend(binding.variants)
    found: list[Call] = []
    for (span, name), variants in places.items():
        values, _ = chosen_first(snapshot, span, name, merged(variants))
        if len(values) > 1:
            text = _written(snapshot, line)
            found += [
                Call(Choice(text, concrete(one.value), name), (), one.value, one.modules, one is values[0])
                for one in sorted(values, key=[*merged(variants)].index)[:MAX_LISTED]
            ]
    return found


def of_class(snapshot: Snapshot, line: int) -> list[Call]:
    """The calls, with other values each, of the class around a line, in the run that is shown of it; none for one."""
    module = around(snapshot, line)
    for _, trace in ranked(snapshot) if module is not None else ():
        inside = [one for one in trace.reply.bindings if around(snapshot, one.span.line) == module]
        inside = [one for one in inside if one.span.path == snapshot.path]
        if inside and module is not None:
            return _calls(snapshot, module, inside)
    return []


def around(snapshot: Snapshot, line: int) -> ModuleClass | None:
    """The innermost class that a line is in."""
    inside = [one for one in snapshot.modules if one.line <= line <= one.end_line]
    return max(inside, key=lambda one: one.line, default=None)


def _calls(snapshot: Snapshot, module: ModuleClass, inside: Sequence[Binding]) -> list[Call]:
    values: dict[str, list[tuple[Binding, Value]]] = {}
    for binding in inside:
        for variant in binding.variants:
            for path in variant.modules:
                values.setdefault(path, []).append((binding, variant.value))
    alike: dict[tuple[tuple[Span, Value], ...], list[str]] = {}
    for path, held in values.items():
        alike.setdefault(tuple((binding.span, value) for binding, value in held), []).append(path)
    if len(alike) < 2:
        return []
    wanted = next((one.shown for one in snapshot.chosen if one.place == module.name and not one.name), None)
    found = [_call(module, paths, values[paths[0]], wanted) for paths in alike.values()][:MAX_LISTED]
    if any(one.shown for one in found):
        return found
    return [Call(found[0].choice, found[0].inputs, found[0].output, found[0].modules, True), *found[1:]]


def _call(module: ModuleClass, paths: Sequence[str], held: Sequence[tuple[Binding, Value]], wanted: str | None) -> Call:
    taken = [(binding, value) for binding, value in held if binding.role == "parameter"]
    line = module.forward_line if module.forward_line is not None else min((b.span.line for b, _ in taken), default=0)
    inputs = tuple(value for binding, value in taken if line <= binding.span.line < _first_after(held, line))
    given = {value for binding, value in held if binding.role == "return"}
    output = given.pop() if len(given) == 1 else None
    return Call(Choice(module.name, paths[0]), inputs, output, tuple(paths), wanted in paths)


def _first_after(held: Iterable[tuple[Binding, Value]], line: int) -> int:
    """The first line after another one that binds something else than a parameter."""
    return min((one.span.line for one, _ in held if one.role != "parameter" and one.span.line > line), default=line + 1)


def _matching(snapshot: Snapshot, span: Span, name: str) -> Callable[[Variant | OperationVariant], bool] | None:
    """Whether a variant is that of the chosen call; a line's own choice comes before that of its class."""
    values = {one.shown for one in _of_line(snapshot, span.end_line) if one.name == name}
    if values:
        return lambda one: isinstance(one, Variant) and concrete(one.value) in values
    module = around(snapshot, span.line)
    paths = {one.shown for one in snapshot.chosen if module is not None and (one.place, one.name) == (module.name, "")}
    return (lambda one: not paths.isdisjoint(one.modules)) if paths else None


def _of_line(snapshot: Snapshot, line: int) -> Iterator[Choice]:
    named = [one for one in snapshot.chosen if one.name]
    text = _written(snapshot, line) if named else ""
    return (one for one in named if one.place == text)


def _written(snapshot: Snapshot, line: int) -> str:
    lines = columns(snapshot.text).lines
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
