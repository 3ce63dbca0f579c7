"""Examples that nobody wrote, of classes that other runs go through: what those show is real, and there is no need."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.example import Example
from fx_lsp.model.messages import TraceReply

OURS = ("default", "inferred")
"""Origins of examples that nobody wrote."""

T = TypeVar("T")
_Class = tuple[str, str]


def needed(outcomes: Iterable[tuple[Trace, T]]) -> list[tuple[Trace, T]]:
    """The outcomes without those that others make spare, in whatever order they were found."""
    found = list(outcomes)
    ours = {trace.example for trace, _ in found if trace.example.origin in OURS}
    through = {_target(example): set[Example]() for example in ours}
    for trace, _ in found if ours else ():
        for use in trace.reply.modules:
            cls = os.path.normpath(use.path), use.name
            ran = use.output is not None or trace.reply.failure is None
            if ran and not _is_way(trace.example, cls):
                through.get(cls, set()).add(trace.example)
    spare = {example for example in ours if _is_spare(example, through)} | _behind([trace for trace, _ in found])
    return [one for one in found if one[0].example not in spare]


def borne_out(example: Example, reply: TraceReply) -> TraceReply:
    """What a run shows: no value of one that failed before any operation took what nobody wrote."""
    guessed = example.origin in OURS and reply.failure is not None and not reply.operations
    return replace(reply, bindings=()) if guessed else reply


def _behind(traces: list[Trace]) -> set[Example]:
    """Of those that were found for a class and failed, an older text had others: all but the one that gets furthest."""
    failed = [
        one for one in traces if one.example.origin == "inferred" and one.reply.failure and not one.example.search
    ]
    furthest: dict[_Class, Trace] = {}
    for trace in sorted(failed, key=lambda one: (len(one.reply.operations), one.call)):
        furthest[_target(trace.example)] = trace
    return {trace.example for trace in failed} - {trace.example for trace in furthest.values()}


def _is_spare(example: Example, through: dict[_Class, set[Example]]) -> bool:
    """Of two whose runs go through each other's class, one stays."""
    others = through[_target(example)] - {example}
    return any(example not in through.get(_target(one), ()) or _order(one) < _order(example) for one in others)


def _is_way(example: Example, cls: _Class) -> bool:
    """Whether it shows only what the example of this class leaves out."""
    return example.fills and example.origin in OURS and (example.scope, example.class_name) == cls


def _target(example: Example) -> _Class:
    return example.scope, example.target


def _order(example: Example) -> tuple[bool, str, str, str]:
    return example.origin in OURS, example.scope, example.target, example.call
