"""The command line's way through the engine: every plan of every file to its end, in rounds."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.model.example import Example
from fx_lsp.model.span import Span
from fx_lsp.server.document import in_order
from fx_lsp.server.files import python_files
from fx_lsp.server.folder import Folder, Plan, Unavailable
from fx_lsp.server.runs import Key, Outcome
from fx_lsp.server.session import Session
from fx_lsp.server.texts import Texts, Unreadable
from fx_lsp.server.turns import Urgency


@dataclass(frozen=True)
class Progress:
    """How far a check has come."""

    done: int
    """Examples run."""
    known: int
    """Examples known to run so far; more may be found."""
    text: str
    """What was run last."""


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
) -> AsyncIterator[Snapshot]:
    """The final snapshots, root by root; `say` is told why nothing of one is run."""
    for session, paths in files.items():
        folder = session.folder
        await folder.look_at_config()
        snapshots = await run(folder, paths, texts, progress, runs=not session.refused)
        if folder.unavailable or not folder.standing.runs:
            say(folder.unavailable or f"{folder.root}: {session.refused}.")
        for snapshot in snapshots:
            yield snapshot


async def run(
    folder: Folder, paths: Sequence[str], texts: Texts, progress: Callable[[Progress], None], *, runs: bool
) -> list[Snapshot]:
    """The final snapshot of each of `paths`, all below one root.

    In rounds, so that what is run does not depend on which trace ends first: the next wave of each file is asked for
    when the last one of every file is done.
    """
    problems = {path: problem for path in paths if (problem := _unreadable(texts, path)) is not None}
    plans = {path: await folder.plan(path) for path in paths if path not in problems}
    outcomes = await _rounds(folder, plans, progress) if runs else {}
    return [
        replace(
            _snapshot(path, texts, problems.get(path), plans.get(path), outcomes.values()),
            unfound=folder.inventions.unfound(path),
        )
        for path in paths
    ]


async def _rounds(
    folder: Folder, plans: dict[str, Plan], progress: Callable[[Progress], None]
) -> dict[Example, Outcome]:
    asked: dict[str, dict[Example, None]] = {path: {} for path in plans}
    outcomes: dict[Example, Outcome] = {}
    waves = {path: plan.wave for path, plan in plans.items()}
    known: set[Key] = set()
    while fresh := [example for wave in waves.values() for example in wave if example not in outcomes]:
        for path, wave in waves.items():
            asked[path].update(dict.fromkeys(wave))
        known.update(key for example in fresh if (key := folder.key(example)))
        try:
            before = len(outcomes)
            async for outcome in folder.traces(dict.fromkeys(fresh), Urgency.ASKED_FOR):
                outcomes[outcome[0].example] = outcome
                done = len({Key.of(trace) for trace, _ in outcomes.values()})
                progress(Progress(done, len(known), outcome[0].call))
        except Unavailable:
            unrun = folder.unrun((example for example in fresh if example not in outcomes), folder.unavailable)
            outcomes.update((outcome[0].example, outcome) for outcome in unrun)
            break
        if len(outcomes) == before:
            break
        waves = {path: await folder.next(path, _seen(path, asked[path], outcomes)) for path in plans}
    return outcomes


def _seen(path: str, asked: Iterable[Example], outcomes: dict[Example, Outcome]) -> list[Trace]:
    """The file's own traces first, then the others that ran through it."""
    own = {example: outcomes[example][0] for example in asked if example in outcomes}
    others = [trace for trace, ran in outcomes.values() if trace.example not in own and path in ran.reach]
    return [*own.values(), *others]


def _snapshot(
    path: str, texts: Texts, problem: Problem | None, plan: Plan | None, outcomes: Iterable[Outcome]
) -> Snapshot:
    if problem is not None or plan is None:
        return Snapshot(path, "", problems=(problem,) if problem is not None else ())
    through = in_order(path, [t for t, ran in outcomes if path in ran.reach and t.example.search is None])
    once = {Key.of(trace): trace for trace in reversed(through)}
    return Snapshot(path, texts.read(path) or "", plan.modules, in_order(path, once.values()), plan.problems)


def _unreadable(texts: Texts, path: str) -> Problem | None:
    try:
        texts.load(path)
    except Unreadable as error:
        return Problem(Span(path, 1, 0, 1, 0), "error", error.code, str(error))
    return None
