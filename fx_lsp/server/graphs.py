"""Which graph is asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fx_lsp.analysis.causes import said
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.graph.named import named
from fx_lsp.analysis.snapshot import ModuleClass, Snapshot, Trace
from fx_lsp.model.comparison import COMPARISON
from fx_lsp.model.failure import Failure
from fx_lsp.model.graph import Graph, Level
from fx_lsp.model.graph_rewrite import GraphRewrite, GraphRule, Rewritten
from fx_lsp.model.messages import GraphRequest, TraceReply, TraceRequest
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Key
from fx_lsp.server.trials import measured

LEVEL = "module"
"""The level that is shown when none is asked for."""
TOLD = 4
"""Places of a rewrite that are named."""
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
    rule: str | None = None
    """The rewrite of the graph that is asked for, in place of the graph itself; empty: the first that there is."""


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
    rewritten: Rewritten | None = field(default=None, repr=False)
    """What came of a rewrite; in a `graph` state it holds both texts."""
    rules: tuple[GraphRule, ...] = ()
    """Rewrites that there are, as far as is known."""

    @property
    def rule(self) -> GraphRule | None:
        """The rewrite that was asked for."""
        wanted = self.rewritten.rule if self.rewritten is not None else ""
        return next((one for one in self.rules if one.id == wanted), None)

    @property
    def says(self) -> str:
        """What a rewrite did, in a sentence."""
        made = self.rewritten
        if made is None or not made.made:
            return ""
        more = f" and {len(made.made) - TOLD} more" if len(made.made) > TOLD else ""
        return f"{', '.join(made.made[:TOLD])}{more}: {measured(made)}"


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
    if wanted.rule is not None:
        return await _rewrite(folder, snapshot, chosen, wanted, names)
    return await _run(folder, snapshot, chosen, wanted, names)


async def _rewrite(
    folder: Folder, snapshot: Snapshot, chosen: Coverage, wanted: Wanted, names: tuple[str, ...]
) -> Found:
    """Ask for a module file of the rewritten graph, which the worker has compared with the model."""
    name = chosen.module.name
    examples = tuple(snapshot.traces[number] for number in sorted(chosen.examples))
    given = wanted.example is not None and 0 <= wanted.example < len(examples)
    numbers = [wanted.example or 0] if given else range(min(len(examples), TRIED))
    reply, number = TraceReply(0), 0
    for number in numbers:
        asked = GraphRewrite(wanted.rule or "", snapshot.path, name)
        key = replace(Key.of(examples[number]), rewrite=asked)
        ran = await folder.runs.answer(key, lambda key=key: _rewrite_request(folder, key))
        reply = ran.reply
        if reply.failure is not None or (reply.rewritten is not None and not reply.rewritten.uncalled):
            break
    found = reply.rewritten
    rules = folder.state.rules if folder.state is not None else ()
    if reply.failure is not None or found is None:
        message = reply.failure.message if reply.failure is not None else "The worker gave no answer."
        state = "unavailable" if reply.failure is not None and reply.failure.stage == "start" else "failed"
    else:
        state, message = ("none", f"The graph of {name} is not rewritten: {found.why}.") if found.why else ("graph", "")
    return Found(state, message, name, names, example=number, examples=examples, engine=reply.engine,
                 failure=reply.failure, rewritten=found, rules=rules)  # fmt: skip


def _rewrite_request(folder: Folder, key: Key) -> TraceRequest:
    request = folder.request(key, "real")
    return replace(request, rewrite=key.rewrite, seconds=request.seconds * COMPARISON)


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
    graph = named(reply.graph, examples[number].reply) if reply.graph is not None else None
    return Found(
        state, message, name, names, request.level, levels, number, examples, reply.engine, reply.failure, graph
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
