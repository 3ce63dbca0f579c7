"""Which module classes of a file ran, and why others did not."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from functools import lru_cache

from fx_lsp.analysis.causes import said
from fx_lsp.analysis.examples._arguments import required
from fx_lsp.analysis.modules import classes, own_method
from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.analysis.source import parsed
from fx_lsp.analysis.variants import ranked
from fx_lsp.model.example import IMPORT_FAILED, NO_FORWARD
from fx_lsp.model.failure import Failure
from fx_lsp.model.trace import ModuleUse

STAGES = {
    "start": "the worker could not start",
    "import": IMPORT_FAILED,
    "construct": "it could not be built",
    "trace": "forward failed",
    "timeout": "it took too long",
    "crash": "the process died",
    "cancelled": "it was cancelled",
    "protocol": "the worker's answer was not understood",
}
"""Where a run failed, in words."""


@dataclass(frozen=True)
class Coverage:
    """What is known about one class."""

    module: ModuleClass
    status: str
    """`traced`, `partial` (it ran, and a failure ended it), `failed` (tried, never ran) or `skipped` (not tried)."""
    reason: str | None = None
    """One sentence, without its full stop, when it is not `traced`."""
    use: ModuleUse | None = None
    """The first call that went through, else the first at all; None when only a subclass was called."""
    trace: Trace | None = None
    """The trace that `use` is of."""
    examples: tuple[int, ...] = ()
    """Numbers of the snapshot's traces that it ran in, or that were meant for it and failed."""
    failure: Failure | None = None
    """What `reason` tells, when it was a failure."""


def coverage(snapshot: Snapshot) -> tuple[Coverage, ...]:
    """One entry for each class of the file, in the order of the text."""
    return tuple(_coverage(snapshot, module) for module in snapshot.modules)


def definition(snapshot: Snapshot, module: ModuleClass) -> ast.ClassDef | None:
    """The class in the tree; None when the text does not parse now, or no longer has it at its line."""
    node = _classes(snapshot.path, snapshot.text).get(module.name)
    return node if node is not None and node.lineno == module.line else None


def needed(node: ast.ClassDef | None, method: str) -> list[ast.arg]:
    """Parameters of a method that must be given, without `self`; empty when the class does not define it."""
    found = own_method(node, method) if node is not None else None
    return required(found) if isinstance(found, ast.FunctionDef) else []


@lru_cache(maxsize=16)
def _classes(path: str, text: str) -> dict[str, ast.ClassDef]:
    tree = parsed(path, text).tree
    return dict(classes(tree.body)) if tree is not None else {}


def _coverage(snapshot: Snapshot, module: ModuleClass) -> Coverage:
    found = [
        (number, trace, use)
        for number, trace in ranked(snapshot)
        for use in trace.reply.modules
        if use.path == snapshot.path and use.name == module.name
    ]
    numbers = tuple(dict.fromkeys(number for number, _, _ in found))
    for _, trace, use in found:
        if use.output is not None or trace.reply.failure is None:
            return Coverage(module, "traced", None, use, trace, numbers)
    inherited = _inherited(snapshot, module)
    if found and (inherited is None or inherited.status != "traced"):
        _, trace, use = found[0]
        return Coverage(module, "partial", _reason(trace, snapshot), use, trace, numbers, trace.reply.failure)
    return inherited or _not_run(snapshot, module)


def _inherited(snapshot: Snapshot, module: ModuleClass) -> Coverage | None:
    """A class whose own `forward` ran, but only as that of a class which inherits it."""
    node = definition(snapshot, module)
    forward = own_method(node, "forward") if node is not None else None
    if forward is None:
        return None
    lines = range(forward.lineno, (forward.end_lineno or forward.lineno) + 1)
    found = [(number, trace) for number, trace in ranked(snapshot) if _ran(trace, snapshot.path, lines)]
    if not found:
        return None
    numbers = tuple(number for number, _ in found)
    if any(trace.reply.failure is None for _, trace in found):
        return Coverage(module, "traced", examples=numbers)
    first = found[0][1]
    return Coverage(module, "partial", _reason(first, snapshot), examples=numbers, failure=first.reply.failure)


def _ran(trace: Trace, path: str, lines: range) -> bool:
    facts = (fact.span for group in (trace.reply.bindings, trace.reply.operations) for fact in group)
    return any(span.path == path and span.line in lines for span in facts)


def _not_run(snapshot: Snapshot, module: ModuleClass) -> Coverage:
    tried = [
        (number, trace)
        for number, trace in enumerate(snapshot.traces)
        if trace.example.target == module.name and trace.example.scope == snapshot.path and trace.reply.failure
    ]
    if tried:
        first = tried[0][1]
        numbers = tuple(number for number, _ in tried)
        return Coverage(module, "failed", _reason(first, snapshot), examples=numbers, failure=first.reply.failure)
    if module.abstract:
        return Coverage(module, "skipped", NO_FORWARD)
    return Coverage(module, "skipped", _why_none(snapshot, module))


def _why_none(snapshot: Snapshot, module: ModuleClass) -> str:
    if why := dict(snapshot.unfound).get(module.name):
        return why if why == NO_FORWARD or at_import(why) else f"no call of it was found, and {why}"
    node = definition(snapshot, module)
    wants = [
        f"{title} needs {', '.join(argument.arg for argument in arguments)}"
        for title, method in (("its constructor", "__init__"), ("forward", "forward"))
        if (arguments := needed(node, method))
    ]
    return "no call of it was found" + (f"; {', '.join(wants)}" if wants else "")


def _reason(trace: Trace, snapshot: Snapshot) -> str | None:
    failure = trace.reply.failure
    if failure is None:
        return None
    span = failure.span
    file = "" if span is None or span.path == snapshot.path else f" of {os.path.basename(span.path)}"
    where = f" at line {span.line}{file}" if span is not None else ""
    return f"{STAGES.get(failure.stage, failure.stage)}{where}: {said(failure)}"


def at_import(reason: str | None) -> bool:
    """Whether the file of the class cannot be imported: then no example helps."""
    return (reason or "").startswith(IMPORT_FAILED)


def lacking(reason: str | None) -> str:
    """The module that was not found, where that is the reason; else empty."""
    found = _LACKING.search(reason or "")
    return found[1] if found is not None else ""


_LACKING = re.compile(r"ModuleNotFoundError: No module named '([^']*)'$")
