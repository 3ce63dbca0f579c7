"""An open file, and how its snapshot is put together from runs of several files' examples."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.moved import moved, unchanged
from fx_lsp.analysis.overtaken import overtaken, without
from fx_lsp.analysis.snapshot import ModuleClass, Problem, Snapshot, Trace
from fx_lsp.analysis.spare import needed
from fx_lsp.analysis.ways import complementing
from fx_lsp.model.example import ORIGINS, PROGRAMS
from fx_lsp.model.messages import TraceReply
from fx_lsp.server.chosen import Chosen
from fx_lsp.server.ran import Key, Outcome
from fx_lsp.server.rewording import Rewording


@dataclass
class Document:
    """An open file.  Only the engine changes it."""

    path: str
    snapshot: Snapshot
    touched: int
    """Grows with every edit of any file: the newest is served first."""
    version: int = 0
    """Grows with every edit of this one."""
    modules: tuple[ModuleClass, ...] = ()
    unedited: tuple[ModuleClass, ...] = ()
    """Its classes before the last edit."""
    problems: tuple[Problem, ...] = ()
    unfound: tuple[tuple[str, str], ...] = ()
    """Classes that no example was found for, and why."""
    severities: tuple[tuple[str, str], ...] = ()
    """What the workspace wants of rules."""
    studied: Mapping[str, Mapping[Key, TraceReply]] = field(default_factory=dict)
    """What further runs found about its examples, by study, with the text as it is now."""
    own: tuple[Outcome, ...] = ()
    """What its own plan asked for and got, for the files as they are now."""
    asked: frozenset[Key] = frozenset()
    """What its own plan asked for when it came to its end last."""
    former: tuple[Trace, ...] = ()
    """Facts of older texts, shown until newer ones replace them."""
    pending: bool = True
    """Its own plan is not at its end yet."""
    edited_line: int = 0
    """The first line that the last edit changed."""
    rewritten: frozenset[Key] = frozenset()
    """Runs whose examples the last edit changed."""
    chosen: Chosen = field(default_factory=Chosen)
    """What the user wants to see first."""

    def edit(self, text: str) -> None:
        """The text is new; the facts follow it, stale."""
        before, after = self.snapshot, moved(self.snapshot, text)
        self.edited_line = unchanged(columns(before.text).lines, columns(text).lines)[0] + 1
        self.rewritten = frozenset(
            Key.of(now)
            for was, now in zip(before.traces, after.traces, strict=True)
            if was.example.span and not now.example.span
        )
        self.snapshot, self.unedited = replace(after, pending=True), self.modules
        self.modules, self.problems = self.snapshot.modules, self.snapshot.problems
        self.version += 1
        self.outdate()

    def of_former(self, runs: Container[Key]) -> tuple[Trace, ...]:
        """Its facts of older texts that come from these runs."""
        return tuple(trace for trace in self.former if Key.of(trace) in runs)

    def reword(self, reworded: Rewording) -> None:
        """The last edit left what the text means alone: its facts are up to date once it is composed anew."""
        self.modules = reworded.modules(self.unedited)

    def likely(self) -> list[Key]:
        """What its plan is likely to ask for: what was run before, first what reaches the edited class the fastest.

        Its own examples come before those of other files, whose answers are waited for after its own.  A program takes
        a processor from them: it waits for the plan, unless the edit is in no class.
        """
        around = [one.name for one in self.unedited if one.line <= self.edited_line <= one.end_line]
        edited = {(self.path, name) for name in around}
        shown = (one for one in self.former if one.example.search is None and not one.example.fills)
        traces = [one for one in shown if Key.of(one) not in self.rewritten]
        if edited:
            traces = [one for one in traces if one.call not in PROGRAMS] or traces
        ordered = sorted(
            traces,
            key=lambda trace: (
                edited.isdisjoint((use.path, use.name) for use in trace.reply.modules),
                trace.example.scope != self.path,
                trace.call in PROGRAMS,
                trace.reply.ms,
            ),
        )
        return list(dict.fromkeys(map(Key.of, ordered)))

    def outdate(self) -> None:
        """Something it depends on changed: what is shown is of an older text from now on."""
        self.former, self.pending, self.studied = self.snapshot.traces, True, {}
        older = tuple(replace(trace, older=True) for trace in self.former)
        self.snapshot = replace(self.snapshot, pending=True, traces=older)


def compose(document: Document, outcomes: Iterable[Outcome], wanted: Container[Key]) -> Snapshot:
    """The snapshot of `document`, given the `outcomes` of all plans and the keys that are still `wanted`."""
    fresh: dict[Key, Trace] = {}
    for trace, ran in needed(outcomes):
        if document.path not in ran.reach or trace.example.search is not None:
            continue
        key = Key.of(trace)
        if key not in fresh or _rank(trace) < _rank(fresh[key]):
            fresh[key] = trace
    succeeded = {_slot(trace) for trace in fresh.values()}
    former = [
        trace
        for trace in document.former
        if (key := Key.of(trace)) not in fresh and (key in wanted or _slot(trace) not in succeeded)
    ]
    if former:
        again = (trace for trace in document.former if not trace.example.fills)  # which show a part of what they found
        reruns = ((trace, fresh[key]) for trace in again if (key := Key.of(trace)) in fresh)
        places = overtaken(reruns)
        former = [replace(without(trace, places), older=True) for trace in former]
    traces = in_order(document.path, [*fresh.values(), *former])
    chosen = document.chosen.number(traces)
    return Snapshot(
        document.path,
        document.snapshot.text,
        document.modules,
        complementing(traces, chosen),
        document.problems,
        document.pending,
        chosen,
        document.unfound,
        document.severities,
        chosen=document.chosen.calls,
    )


def in_order(path: str, traces: Iterable[Trace]) -> tuple[Trace, ...]:
    """Best origin first; then the examples written in `path` itself; then by place."""
    return tuple(sorted(traces, key=lambda trace: (_rank(trace), *_place(path, trace))))


def _rank(trace: Trace) -> int:
    return ORIGINS.index(trace.example.origin)


def _place(path: str, trace: Trace) -> tuple[bool, str, int, int, str]:
    span = trace.example.span
    line, column = (span.line, span.column) if span is not None else (0, 0)
    return trace.example.scope != path, trace.example.scope, line, column, trace.call


def _slot(trace: Trace) -> tuple[str, str, str]:
    """An example whose text was edited is known by where it stands, not by what it says."""
    return trace.example.scope, trace.example.origin, trace.example.target
