"""The command line's way through the engine: every plan of every file to its end, in rounds."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.analysis.spare import needed
from fx_lsp.analysis.ways import complementing
from fx_lsp.model.example import ORIGINS, Example
from fx_lsp.model.span import Span
from fx_lsp.server.document import in_order
from fx_lsp.server.files import python_files
from fx_lsp.server.folder import Folder, Plan, Unavailable
from fx_lsp.server.ran import Key, Outcome
from fx_lsp.server.rounds import Progress, rounds
from fx_lsp.server.session import Session
from fx_lsp.server.studies import refined, reports
from fx_lsp.server.texts import Texts, Unreadable
from fx_lsp.server.turns import Urgency

NAMES = "names"
"""Which study finds names of dims."""
WRITTEN = frozenset(("directive", "config", "annotation", "call"))
"""Origins of examples that somebody wrote."""


def expand(paths: Iterable[str], session_of: Callable[[str], Session]) -> dict[Session, list[str]]:
    """The files that the absolute `paths` name, each once, in order; folders without what their root excludes."""
    found: dict[Session, dict[str, None]] = {}
    for path in paths:
        folder = os.path.isdir(path)
        for file in python_files(path) if folder else (path,):
            session = session_of(file)
            if not folder or not session.folder.excludes(file):
                found.setdefault(session, {})[file] = None
    return {session: list(files) for session, files in found.items()}


async def run_all(
    files: Mapping[Session, Sequence[str]],
    texts: Texts,
    progress: Callable[[Progress], None],
    say: Callable[[str], None],
    *,
    named: bool = False,
) -> AsyncIterator[Snapshot]:
    """The final snapshots, root by root, `named`: with names of dims; `say` is told why nothing of one is run."""
    for session, paths in files.items():
        folder = session.folder
        await folder.look_at_config()
        snapshots = await run(folder, paths, texts, progress, runs=not session.refused, named=named)
        if folder.unavailable or not folder.standing.runs:
            say(folder.unavailable or f"{folder.root}: {session.refused}.")
        for snapshot in snapshots:
            yield snapshot


async def run(
    folder: Folder,
    paths: Sequence[str],
    texts: Texts,
    progress: Callable[[Progress], None],
    *,
    runs: bool,
    named: bool = False,
) -> list[Snapshot]:
    """The final snapshot of each of `paths`, all below one root."""
    problems = {path: problem for path in paths if (problem := _unreadable(texts, path)) is not None}
    plans = {path: await folder.plan(path) for path in paths if path not in problems}
    outcomes = await rounds(folder, plans, Urgency.ASKED_FOR, progress) if runs else {}
    studied = await reports(folder, [trace for trace, _ in outcomes.values()], [NAMES] if named else ())
    return [
        replace(
            refined(_snapshot(path, texts, problems.get(path), plans.get(path), outcomes.values()), studied),
            unfound=folder.inventions.unfound(folder.workspace, path),
            severities=folder.config.severities(folder.workspace.relative(path)),
        )
        for path in paths
    ]


async def first(
    folder: Folder, path: str, name: str, text: str, progress: Callable[[Progress], None]
) -> Snapshot | None:
    """What the first example shows that somebody wrote for the class `name` of the file; None where there is none, or
    it does not get through the class: then every example has to be run to tell which one does."""
    await folder.look_at_config()
    if folder.unavailable or not folder.standing.runs:
        return None
    plan = await folder.plan(path)
    own = [one for one in plan.wave if one.origin in WRITTEN and _is_for(one, name)]
    for number, example in enumerate(sorted(own, key=lambda one: ORIGINS.index(one.origin)), start=1):
        progress(Progress(number - 1, len(own), example.call))
        try:
            outcomes = [outcome async for outcome in folder.traces([example], Urgency.ASKED_FOR)]
        except Unavailable:
            return None
        traces = [trace for trace, ran in outcomes if path in ran.reach and _calls(trace, path, name)]
        if traces:
            return Snapshot(path, text, plan.modules, in_order(path, traces), plan.problems)
    return None


def _is_for(example: Example, name: str) -> bool:
    """Whether it builds the class, as far as its text tells where nobody said what it is for."""
    return example.target == name or (not example.target and f"{name}(" in f"{example.setup} {example.call}")


def _calls(trace: Trace, path: str, name: str) -> bool:
    """Whether the class went through."""
    return trace.reply.failure is None and any((use.path, use.name) == (path, name) for use in trace.reply.modules)


def _snapshot(
    path: str, texts: Texts, problem: Problem | None, plan: Plan | None, outcomes: Iterable[Outcome]
) -> Snapshot:
    if problem is not None or plan is None:
        return Snapshot(path, "", problems=(problem,) if problem is not None else ())
    return gathered(path, texts.read(path) or "", plan, outcomes)


def gathered(path: str, text: str, plan: Plan, outcomes: Iterable[Outcome]) -> Snapshot:
    """What is known of a file after these runs, each that went through it once."""
    through = in_order(path, [t for t, ran in needed(outcomes) if path in ran.reach and t.example.search is None])
    once = {Key.of(trace): trace for trace in reversed(through)}
    traces = complementing(in_order(path, once.values()))
    return Snapshot(path, text, plan.modules, traces, plan.problems)


def _unreadable(texts: Texts, path: str) -> Problem | None:
    try:
        texts.load(path)
    except Unreadable as error:
        return Problem(Span(path, 1, 0, 1, 0), "error", error.code, str(error))
    return None
