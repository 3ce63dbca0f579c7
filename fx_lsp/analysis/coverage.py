"""Which module classes of a file ran, and why others did not."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.model.trace import ModuleUse


@dataclass(frozen=True)
class Coverage:
    """What is known about one class."""

    module: ModuleClass
    status: str
    """`traced`, `partial` (it ran, and a failure ended it), `failed` (tried, never ran) or `skipped` (not tried)."""
    reason: str | None = None
    """One sentence when it is not `traced`."""
    use: ModuleUse | None = None
    """The first call that went through, else the first at all."""
    trace: Trace | None = None
    """The trace that `use` is of."""
    examples: tuple[int, ...] = ()
    """Numbers of the snapshot's traces it ran in."""


def coverage(snapshot: Snapshot) -> tuple[Coverage, ...]:
    """One entry for each class of the file, in the order of the text."""
    return tuple(_coverage(snapshot, module) for module in snapshot.modules)


def _coverage(snapshot: Snapshot, module: ModuleClass) -> Coverage:
    found = [
        (number, trace, use)
        for number, trace in enumerate(snapshot.traces)
        for use in trace.reply.modules
        if use.path == snapshot.path and use.name == module.name
    ]
    numbers = tuple(dict.fromkeys(number for number, _, _ in found))
    for _, trace, use in found:
        if use.output is not None or trace.reply.failure is None:
            return Coverage(module, "traced", None, use, trace, numbers)
    tried = [trace for trace in snapshot.traces if trace.example.target == module.name and trace.reply.failure]
    failed = [trace for _, trace, _ in found if trace.reply.failure] or tried
    failure = failed[0].reply.failure if failed else None
    if failure is None:
        own = module.abstract and "has no forward of its own"
        return Coverage(module, "skipped", own or "no example runs through it")
    where = f" at line {failure.span.line}" if failure.span is not None else ""
    reason = f"{_STAGES.get(failure.stage, failure.stage)}{where}: {failure.message}"
    if found:
        _, trace, use = found[0]
        return Coverage(module, "partial", reason, use, trace, numbers)
    return Coverage(module, "failed", reason)


_STAGES = {
    "start": "the worker could not start",
    "import": "the import failed",
    "construct": "it could not be built",
    "trace": "forward failed",
    "timeout": "it took too long",
    "crash": "the process died",
    "cancelled": "it was cancelled",
    "protocol": "the worker's answer was not understood",
}
