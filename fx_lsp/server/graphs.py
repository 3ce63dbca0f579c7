"""Which graph is asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fx_lsp.analysis.causes import said
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.model.failure import Failure
from fx_lsp.model.graph import Graph, Level
from fx_lsp.model.messages import GraphRequest, TraceReply
from fx_lsp.server.folder import Folder

LEVEL = "module"
"""The level that is shown when none is asked for."""
TRIED = 4
"""Examples that are run to find one that calls the class."""


@dataclass(frozen=True)
class Wanted:
    """What the client asks for; see `protocol.GraphParams`."""

    name: str | None = None
    line: int | None = None
    """From 1."""
    level: str | None = None
    example: int | None = None


@dataclass(frozen=True)
class Found:
    """A graph, or why there is none; see `protocol.GraphReply`."""

    state: str
    message: str = ""
    name: str = ""
    names: tuple[str, ...] = ()
    level: str = LEVEL
    levels: tuple[Level, ...] = ()
    example: int = -1
    examples: tuple[Trace, ...] = field(default=(), repr=False)
    engine: str = ""
    failure: Failure | None = None
    graph: Graph | None = field(default=None, repr=False)


async def find(folder: Folder, snapshot: Snapshot, wanted: Wanted, refused: str) -> Found:
    """The graph of a class of the file; `refused`: why nothing may be run, empty when it may.

    Raises:
        Cancelled: a newer edit cancelled the run.
    """
    classes = coverage(snapshot)
    names = tuple(entry.module.name for entry in classes)
    chosen = _chosen(classes, wanted)
    if chosen is None:
        what = f"There is no class {wanted.name} in this file." if wanted.name else "There is no nn.Module class in it."
        return Found("none", what, wanted.name or "", names)
    name = chosen.module.name
    if refused:
        return Found("off", f"There is no graph to show: {refused}.", name, names)
    if folder.unavailable:
        return Found("unavailable", folder.unavailable, name, names)
    if not chosen.examples:
        why = f"{name} has not run: {chosen.reason}." if chosen.reason else f"{name} has not run."
        how = f" Write a call above the class to run it, such as `# fx: {name}(…)(f32[2, 3])`."
        return Found("none", why + ("" if chosen.module.abstract else how), name, names)
    return await _run(folder, snapshot, chosen, wanted, names)


async def _run(folder: Folder, snapshot: Snapshot, chosen: Coverage, wanted: Wanted, names: tuple[str, ...]) -> Found:
    name = chosen.module.name
    numbers = sorted(chosen.examples)
    examples = tuple(snapshot.traces[number] for number in numbers)
    shown = numbers.index(chosen.examples[0])
    number = wanted.example if wanted.example is not None and 0 <= wanted.example < len(examples) else shown
    levels = folder.state.levels if folder.state is not None else ()
    known = [level.id for level in levels]
    level = wanted.level if wanted.level in known or not known else LEVEL
    request = GraphRequest(level or LEVEL, snapshot.path, name)
    reply = await _reply(folder, examples[number], request)
    if wanted.example is None:  # the class may have run in several, but be called by only some of them
        for other, example in enumerate(examples[:TRIED]):
            if reply.graph is not None or reply.failure is not None or reply.defect:
                break
            number, reply = other, await _reply(folder, example, request)
    state, message = "graph", ""
    if reply.defect:
        state = "failed"
        message = f"The graph of {name} could not be recorded, which is a mistake of fx-lsp: {reply.defect}"
    elif reply.graph is None or not any(node.op.startswith("call") for node in reply.graph.nodes):
        state, message = _without(name, reply.failure, reply.graph is None)
    elif reply.failure is not None:
        message = said(reply.failure)
    levels = folder.state.levels if folder.state is not None else levels
    return Found(
        state, message, name, names, request.level, levels, number, examples, reply.engine, reply.failure, reply.graph
    )


async def _reply(folder: Folder, trace: Trace, request: GraphRequest) -> TraceReply:
    """What came of the run; one that fails only because it is watched is watched less."""
    reply = await folder.graph(trace, request)
    if reply.failure is not None and trace.reply.failure is None:
        return await folder.graph(trace, replace(request, counted=False))
    return reply


def _without(name: str, failure: Failure | None, uncalled: bool) -> tuple[str, str]:
    """State and message when no operation was recorded."""
    if failure is not None:
        return "unavailable" if failure.stage == "start" else "failed", said(failure)
    if uncalled:
        return "none", f"This example does not call an instance of {name} itself; choose another one."
    return "empty", f"{name} ran no torch operation in this example, so its graph is empty."


def _chosen(classes: Sequence[Coverage], wanted: Wanted) -> Coverage | None:
    """The class of that name; else the innermost around the line, else the nearest above it; else the first that ran,
    else the first."""
    if wanted.name is not None:
        return next((entry for entry in classes if entry.module.name == wanted.name), None)
    line = wanted.line
    if line is not None:
        inside = [entry for entry in classes if _holds(entry.module, line)]
        above = [entry for entry in classes if entry.module.line <= line]
        for found in (inside, above):
            if found:
                return max(found, key=lambda entry: entry.module.line)
    return next((entry for entry in classes if entry.examples), classes[0] if classes else None)


def _holds(module: ModuleClass, line: int) -> bool:
    return module.line <= line <= module.end_line
