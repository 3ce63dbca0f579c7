"""The variants of one place, over all traces that ran through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.naming import stripped
from fx_lsp.analysis.origins import STATED
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.trace import OperationVariant, Variant
from fx_lsp.model.value import MAX_NAME, Value, concrete, label, tensors

_UNKNOWN = re.compile(r"u\d+")

MAX_LISTED = 12
"""Variants listed in a tooltip or hover."""
MAX_PATHS = 4
"""Module paths named for one variant."""


def ranked(snapshot: Snapshot) -> Iterator[tuple[int, Trace]]:
    """The traces with their numbers: the one that the user chose, then those to believe first; an example that was only
    tried and failed comes last."""

    def rank(item: tuple[int, Trace]) -> tuple[bool, bool]:
        number, trace = item
        return number != snapshot.shown, trace.reply.failure is not None and trace.example.origin not in STATED

    yield from sorted(enumerate(snapshot.traces), key=rank)


def merged(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """Each distinct value once, in order, with the module paths of all."""
    found: dict[Value, Variant] = {}
    for variant in variants:
        key = _sizes(variant.value)
        known = found.get(key)
        if known is not None:
            paths = tuple(dict.fromkeys((*known.modules, *variant.modules)))
            variant = replace(known, modules=paths, count=known.count + variant.count)
        found[key] = variant
    return tuple(found.values())


def merged_operations(variants: Iterable[OperationVariant]) -> tuple[OperationVariant, ...]:
    """Each distinct signature once, in order, with the module paths of all."""
    found: dict[tuple[tuple[Value, ...], Value, int], OperationVariant] = {}
    for variant in variants:
        key = tuple(map(_sizes, variant.inputs)), _sizes(variant.output), variant.parameters
        known = found.get(key)
        if known is not None:
            paths = tuple(dict.fromkeys((*known.modules, *variant.modules)))
            variant = replace(known, modules=paths, count=known.count + variant.count)
        found[key] = variant
    return tuple(found.values())


def _sizes(value: Value) -> Value:
    """What tells variants apart: not what the dims are called, but which of them depend on data."""
    unknown = any(name and _UNKNOWN.fullmatch(name) for tensor in tensors(value) for name in tensor.names)
    return value if unknown else stripped(value)


def title(values: Sequence[Value]) -> str:
    """The first value's label, and how many other labels there are: `f32[2, 64] +3`."""
    labels = list(dict.fromkeys(map(label, values)))
    return labels[0] if len(labels) == 1 else f"{labels[0]} +{len(labels) - 1}"


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
    if found := sorted(name for name in names if _UNKNOWN.fullmatch(name)):
        yield f"{', '.join(map(code, found))}: depends on data"
