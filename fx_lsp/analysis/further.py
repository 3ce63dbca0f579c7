"""Calls of tests and of other files that may come to lines of a model which those that ran left out; they show only
what no other example does."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from fx_lsp.analysis.origins import way
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.ways import in_vain, missed
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model import syntax
from fx_lsp.model.example import WAY, Example

_Given = tuple[str, str]
"""The name or the place of an argument, and its value."""
MAX_CALLS = 6
"""Of one file."""
MAX_VAIN = 2
"""Of these that come to nothing new; as many are tried before it is looked what is left."""


def further(workspace: Workspace, path: str, traces: Sequence[Trace], written: Iterable[Example]) -> list[Example]:
    """The next of the calls `written` for classes of the file that ran, those first that give otherwise than before
    what decides whether a line is left out."""
    if sum(trace.example.is_further for trace in traces) >= MAX_CALLS or in_vain(traces) >= MAX_VAIN:
        return []
    left = missed(workspace, path, traces)
    fine = {trace.example.target for trace in traces if trace.reply.failure is None}
    ran = {(trace.example.setup, trace.example.call) for trace in traces}
    words = frozenset[str]().union(*left.values())
    known = {given for trace in traces for given in _given(trace.example)}
    found: list[Example] = []
    for one in written if left else ():
        key = way(one)
        named = key[0] if key is not None else ""
        method = f"{one.target}{WAY}{named or 'forward'}"
        if one.target in fine and (one.setup, one.call) not in ran and (not named or method in left):
            found.append(replace(one, target=method))
    return sorted(found, key=lambda one: (-_new(one, known, words), one.target not in left))[:MAX_VAIN]


def _new(example: Example, known: Container[_Given], words: Container[str]) -> int:
    """How much that it gives nobody gave before; four times what is of those words."""
    new = [given for given in _given(example) if given not in known]
    return sum(4 if name in words or value in words else 1 for name, value in new)


def _given(example: Example) -> set[_Given]:
    """The arguments of all calls in its text that are constants, and what is bound to one."""
    found: set[_Given] = set()
    try:
        tree = syntax.module(f"{example.setup}\n{example.call}")
    except (SyntaxError, ValueError, RecursionError):  # a nest too deep, or a number too long
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given = [*((str(at), one) for at, one in enumerate(node.args)), *((k.arg, k.value) for k in node.keywords)]
            found |= {(name or "", repr(one.value)) for name, one in given if isinstance(one, ast.Constant)}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            found |= {(one.id, repr(node.value.value)) for one in node.targets if isinstance(one, ast.Name)}
    return found
