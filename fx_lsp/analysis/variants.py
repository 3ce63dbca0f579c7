"""The variants of one place, over all traces that ran through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.naming import UNKNOWN, told_apart
from fx_lsp.analysis.origins import STATED
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.trace import OperationVariant, Variant
from fx_lsp.model.value import MAX_NAME, TensorType, Value, concrete, dim, label, tensors

MAX_LISTED = 12
"""Variants listed in a tooltip or hover."""
MAX_ALTERNATIVES, MAX_VARIED = 4, 2
"""Sizes of a dim, and dims with several, that one label has."""
MAX_PATHS = 4
"""Module paths named for one variant."""


_Either = TypeVar("_Either", Variant, OperationVariant)


def ranked(snapshot: Snapshot) -> Iterator[tuple[int, Trace]]:
    """The traces with their numbers: the one that the user chose, then those to believe first; an example that was only
    tried and failed comes last."""

    def rank(item: tuple[int, Trace]) -> tuple[bool, bool]:
        number, trace = item
        return number != snapshot.shown, trace.reply.failure is not None and trace.example.origin not in STATED

    yield from sorted(enumerate(snapshot.traces), key=rank)


def merged(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """Each distinct value once, in order, with the module paths of all."""
    found: dict[Value, list[Variant]] = {}
    for variant in variants:
        found.setdefault(told_apart(variant.value), []).append(variant)
    return tuple(map(_together, found.values()))


def merged_operations(variants: Iterable[OperationVariant]) -> tuple[OperationVariant, ...]:
    """Each distinct signature once, in order, with the module paths of all."""
    found: dict[OperationVariant, list[OperationVariant]] = {}
    for variant in variants:
        inputs = tuple(map(told_apart, variant.inputs))
        key = replace(variant, inputs=inputs, output=told_apart(variant.output), modules=(), count=1)
        found.setdefault(key, []).append(variant)
    return tuple(map(_together, found.values()))


def _together(alike: list[_Either]) -> _Either:
    """The first one, with the module paths of all."""
    if len(alike) == 1:
        return alike[0]
    paths = tuple(dict.fromkeys(path for one in alike for path in one.modules))
    return replace(alike[0], modules=paths, count=sum(one.count for one in alike))


def title(values: Sequence[Value], *, first: bool = False) -> str:
    """All values in one where that is short: `f32[2, 64|128, 56, 56]`; else the first value's label, and how many other
    labels there are: `f32[2, 64] +3`.  `first`: the first one is what the user asked for.
    """
    labels = {label(value): value for value in values}
    if len(labels) == 1:
        return next(iter(labels))
    columns = None if first else _columns([*labels.values()])
    varied = [column for column in columns or () if len(set(column)) > 1]
    fits = 0 < len(varied) <= MAX_VARIED and len(labels) <= MAX_ALTERNATIVES
    if columns and fits and all(len(set(column)) == len(labels) and "".join(column).isdigit() for column in varied):
        dims = ["|".join(column) if column in varied else column[0] for column in columns]
        return f"{label(values[0]).partition('[')[0]}[{', '.join(dims)}]"
    return f"{next(iter(labels))} +{len(labels) - 1}"


def ranges(values: Sequence[Value]) -> Iterator[str]:
    """Markdown: what the sizes of each dim were, where they differ and nothing else does."""
    columns = [tuple(dict.fromkeys(column)) for column in _columns(values) or ()]
    dims: dict[tuple[str, ...], list[int]] = {}
    for number, column in enumerate(columns):
        if len(column) > 1:
            dims.setdefault(column, []).append(number)
    facts = [
        f"dim{'s' * (len(numbers) > 1)} {' and '.join(map(str, numbers))} ∈ {{{', '.join(column)}}}"
        for column, numbers in dims.items()
    ]
    if facts:
        yield code("; ".join(facts))


def _columns(values: Sequence[Value]) -> list[tuple[str, ...]] | None:
    """Per dim its name or size in each of the values; None when they differ in more."""
    found = [value for value in values if isinstance(value, TensorType)]
    if len(found) < len(values) or len({(one.dtype, len(one.shape)) for one in found}) != 1:
        return None
    rows = [zip(one.names or (None,) * len(one.shape), one.shape, strict=True) for one in found]
    return [*zip(*([dim(name, size) for name, size in row] for row in rows), strict=True)]


def where(modules: Sequence[str], count: int) -> Iterator[str]:
    """Markdown: the module paths at which a variant occurred, and how often."""
    paths = [path for path in modules if path]
    if paths:
        more = f" and {len(paths) - MAX_PATHS} more" if len(paths) > MAX_PATHS else ""
        yield f"in {', '.join(map(code, paths[:MAX_PATHS]))}{more}"
    if count > 1:
        yield f"{count} times"


def sizes(value: Value) -> Iterator[str]:
    """Markdown: the sizes of the run, where the label has names for them, and what is too long for the label."""
    if any(any(tensor.names) for tensor in tensors(value)):
        yield f"{code(concrete(value))} in this run"
    long = [(size, text) for tensor in tensors(value) for size, text in zip(tensor.shape, tensor.names, strict=False)]
    for size, text in list(dict.fromkeys(one for one in long if one[1] and len(one[1]) > MAX_NAME))[:MAX_PATHS]:
        yield f"{size} is {code(text or '')}"


def unknowns(values: Iterable[Value]) -> Iterator[str]:
    """Markdown: what the dims are that the label calls `u0`."""
    names = {name for value in values for tensor in tensors(value) for name in tensor.names if name is not None}
    if found := sorted(name for name in names if UNKNOWN.fullmatch(name)):
        yield f"{', '.join(map(code, found))}: depends on data"
