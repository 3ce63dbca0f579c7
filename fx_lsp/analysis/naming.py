"""The facts of a trace with the names that runs at other sizes found: no size changes, no fact comes or goes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Operation, OperationVariant
from fx_lsp.model.value import Group, TensorType, Value, tensors

MAX_SHOWN = 8
"""Constraints listed in a hover."""

UNKNOWN = re.compile(r"u\d+")
"""Names of dims that depend on data."""
_NAME = re.compile(r"[^\W\d]\w*")


def refined(trace: Trace, named: TraceReply) -> Trace:
    """The trace with names where the values, stripped of them, are the same at the same place."""
    reply = trace.reply
    bindings = {(one.span, one.name, one.role): one for one in named.bindings}
    operations = {(one.span, one.target, one.form): one for one in named.operations}
    modules = {(one.path, one.name, one.module): one for one in named.modules}
    return replace(
        trace,
        reply=replace(
            reply,
            bindings=tuple(_binding(one, bindings.get((one.span, one.name, one.role))) for one in reply.bindings),
            operations=tuple(
                _operation(one, operations.get((one.span, one.target, one.form))) for one in reply.operations
            ),
            modules=tuple(_use(one, modules.get((one.path, one.name, one.module))) for one in reply.modules),
            constraints=named.constraints,
        ),
    )


def imposed(values: Iterable[Value], snapshot: Snapshot, numbers: Iterable[int]) -> Iterator[str]:
    """Markdown: what the dims in the values have to be, with the line that imposes it, as far as the traces with these
    numbers tell."""
    texts = {text for value in values for tensor in tensors(value) for text in tensor.names if text is not None}
    names = {name for text in texts for name in _NAME.findall(text)}
    traces = [snapshot.traces[number] for number in numbers if number < len(snapshot.traces)]
    found = dict.fromkeys(one for trace in traces for one in trace.reply.constraints)
    mine = [one for one in found if not names.isdisjoint(_NAME.findall(one.text))]
    for one in mine[:MAX_SHOWN]:
        yield code(one.text) + (f": {line_of(one.span, snapshot.path)}" if one.span is not None else "")


def line_of(span: Span, path: str) -> str:
    """Markdown: where it is, seen from the file at `path`."""
    return f"line {span.line}" if span.path == path else code(f"{os.path.basename(span.path)}:{span.line}")


def _binding(one: Binding, other: Binding | None) -> Binding:
    if other is None:
        return one
    known = {_plain((variant.value,)): (variant.value,) for variant in other.variants}
    variants = (replace(variant, value=_filled((variant.value,), known)[0]) for variant in one.variants)
    return replace(one, variants=tuple(variants))


def _operation(one: Operation, other: Operation | None) -> Operation:
    if other is None:
        return one
    known = {_plain((*each.inputs, each.output)): (*each.inputs, each.output) for each in other.variants}
    variants: list[OperationVariant] = []
    for variant in one.variants:
        *inputs, output = _filled((*variant.inputs, variant.output), known)
        variants.append(replace(variant, inputs=tuple(inputs), output=output))
    return replace(one, variants=tuple(variants))


def _use(one: ModuleUse, other: ModuleUse | None) -> ModuleUse:
    if other is None or one.output is None or other.output is None:
        return one
    values = (*other.inputs, other.output)
    *inputs, output = _filled((*one.inputs, one.output), {_plain(values): values})
    return replace(one, inputs=tuple(inputs), output=output)


def _plain(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(map(stripped, values))


def stripped(value: Value) -> Value:
    """With numbers only."""
    if isinstance(value, TensorType):
        return replace(value, names=()) if value.names else value
    return replace(value, items=_plain(value.items)) if isinstance(value, Group) else value


def told_apart(value: Value) -> Value:
    """What tells values apart: not what the dims are called, but which of them depend on data."""
    unknown = any(name and UNKNOWN.fullmatch(name) for tensor in tensors(value) for name in tensor.names)
    return value if unknown else stripped(value)


def _filled(values: tuple[Value, ...], known: dict[tuple[Value, ...], tuple[Value, ...]]) -> tuple[Value, ...]:
    named = known.get(_plain(values))
    return values if named is None else tuple(map(_joined, values, named))


def _joined(value: Value, named: Value) -> Value:
    """What depends on data says so, whatever else is known of it."""
    if isinstance(value, TensorType) and isinstance(named, TensorType):
        texts = tuple(
            one or other for one, other in zip(value.names or (None,) * len(value.shape), named.names, strict=False)
        )
        return replace(value, names=texts) if any(texts) else value
    if isinstance(value, Group) and isinstance(named, Group):
        return replace(value, items=tuple(map(_joined, value.items, named.items)))
    return value
