"""Calls of tests and of other files that may come to lines of a model which those that ran left out; they show only what
no other example does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fx_lsp.analysis.origins import way
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.ways import in_vain, missed
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import WAY, Example

MAX_CALLS = 6
"""Of one file."""
MAX_VAIN = 2
"""Of these that come to nothing new; as many are tried before it is looked what is left."""


def further(workspace: Workspace, path: str, traces: Sequence[Trace], written: Iterable[Example]) -> list[Example]:
    """The next of the calls `written` for classes of the file that ran, those of classes with lines left out first."""
    if sum(_is_further(trace.example) for trace in traces) >= MAX_CALLS or in_vain(traces) >= MAX_VAIN:
        return []
    left = missed(workspace, path, traces)
    fine = {trace.example.target for trace in traces if trace.reply.failure is None}
    ran = {(trace.example.setup, trace.example.call) for trace in traces}
    found: list[Example] = []
    for one in written if left else ():
        key = way(one)
        named = key[0] if key is not None else ""
        method = f"{one.target}{WAY}{named or 'forward'}"
        if one.target in fine and (one.setup, one.call) not in ran and (not named or method in left):
            found.append(replace(one, target=method))
    return sorted(found, key=lambda one: one.target not in left)[:MAX_VAIN]


def _is_further(example: Example) -> bool:
    return example.fills and example.origin == "call"
