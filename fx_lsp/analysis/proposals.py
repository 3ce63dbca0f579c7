"""Everything that could be done about a file: rewrites of what runs, and what may mend what does not.

A proposal is not yet an offer: it is tried first, see `fx_lsp.server.trials`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes import explained
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.mends import SOON, for_warning, further
from fx_lsp.analysis.mends import proposals as mending
from fx_lsp.analysis.mends._seen import Seen
from fx_lsp.analysis.mends._text import title as shortened
from fx_lsp.analysis.rewrites import Offer, Rewrite, offers
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.analysis.spare import OURS
from fx_lsp.model.comparison import MODULE
from fx_lsp.model.span import Span

TRIED = 2
"""Examples that a proposal is tried on, the quickest ones."""
FAILING = 4
"""Failing examples that it is tried on."""
_USED = re.compile(r"((?:Use|Make) `[^`]*`)((?:, line \d+)?)")
"""Titles of edits that write one thing in place of another one."""


@dataclass(frozen=True)
class Proposal:
    """An edit, and how it is tried."""

    rule: str
    """Of a rewrite; of what mends a problem its code."""
    title: str
    span: Span
    """Where it is on offer."""
    edit: Edit
    mends: bool
    """Whether it mends a problem, else it is a rewrite of what runs."""
    traces: tuple[Trace, ...]
    """Examples that it is tried on."""
    compared: bool = False
    """Whether it has to compute the same as before; else it has to run."""
    owner: str = ""
    """Class whose modules are compared; empty: all that the examples call."""
    function: str = ""
    """Function that is compared, where only programs call it, by its `__qualname__`; or `MODULE`, what is in none."""
    unsafe: str = ""
    """What it changes; empty where nothing may."""
    other: bool = False
    """Whether what it computes may be something else."""
    single: bool = False
    """Whether it is compared in single precision."""
    zeros: bool = False
    """Whether a gradient of 0 is the same as none."""
    late: bool = False
    """Whether it is tried only where none before it is good, and on offer only when it is known to be."""


def rewritten(snapshot: Snapshot, own: tuple[Rewrite, ...] = (), lines: range | None = None) -> tuple[Proposal, ...]:
    """Of all rewrites and the workspace's `own`, on some lines; none in a notebook, whose cells are no lines of one
    text."""
    if snapshot.path.endswith(".ipynb"):
        return ()
    wanted = (one for one in offers(snapshot, own, lines) if lines is None or touches(one.span, lines))
    return tuple(found for offer in wanted if (found := _of(snapshot, offer)) is not None)


def _of(snapshot: Snapshot, offer: Offer) -> Proposal | None:
    """Tried on examples; where only a program runs through it, on how that calls the function."""
    outside = offer.function == MODULE
    traces = [] if outside else [*_near(snapshot, *offer.lines)]
    function = "" if traces else offer.function
    lines = (offer.span.line, offer.span.end_line) if outside else offer.lines
    traces = traces or ([*_near(snapshot, *lines, programs=True)] if function else [])
    if not traces:
        return None
    return Proposal(
        offer.rule,
        offer.edit.title,
        offer.span,
        offer.edit,
        mends=False,
        traces=tuple(traces),
        compared=True,
        owner="" if function else offer.owner,
        function=function,
        unsafe=offer.unsafe,
        other=offer.other,
        single=offer.single,
        zeros=offer.zeros,
    )


def mended(
    snapshot: Snapshot, read: Callable[[str], str | None], lines: range, wider: bool = False
) -> Iterator[Proposal]:
    """What may mend the failures and warnings on some lines, most likely first; `wider`: small changes of everything on
    the way to a failure."""
    for problem in all_problems(snapshot):
        if not touches(problem.span, lines):
            continue
        failing = sorted(_failing(snapshot, problem.span), key=unexplained)
        there = [one for one in failing if one.reply.failure is not None and one.reply.failure.span == problem.span]
        # Edits are tried with the first ones, which a program that runs long may not be among.
        edits = mending_of(min(there or failing, key=telling), read, wider) if failing else ()
        if not edits and problem.severity == "warning" and not snapshot.stale and not wider:
            edits = for_warning(problem, snapshot)
            lines_of = problem.span.line, problem.span.end_line
            failing = _near(snapshot, *lines_of) or _near(snapshot, *lines_of, programs=True)
        titles = [_title(edit, read) for edit in edits]
        count, given = Counter(titles[:SOON]), set[str]()
        for place, (edit, title) in enumerate(zip(edits, titles, strict=True)):
            traces, line = tuple(failing[:FAILING]), edit.changes[0][0].line
            title = f"{title}, line {line}" if count[title] > (place < SOON) else title
            if traces and title not in given:  # an action is known by its title
                given.add(title)
                yield Proposal(problem.code, title, problem.span, edit, True, traces, late=wider or place >= SOON)


def _title(edit: Edit, read: Callable[[str], str | None]) -> str:
    """Also what is replaced, where the edit names only what comes in its place."""
    (span, _), *others = edit.changes
    named, text = _USED.fullmatch(edit.title), read(span.path)
    if named is None or others or text is None:
        return edit.title
    start, end = columns(text).offsets(span)
    old = text[start:end]
    return f"{named[1]} in place of {shortened(old)}{named[2]}" if old.strip() else edit.title


def mending_of(trace: Trace, read: Callable[[str], str | None], wider: bool = False) -> tuple[Edit, ...]:
    """What may mend the failure of an example; see `mended`."""
    failure, span = trace.reply.failure, trace.example.span
    if failure is None:
        return ()
    if span is not None and trace.example.origin == "call":
        # What the call is given is written there.
        failure = replace(failure, calls=(span, *failure.calls))
    also = [span.path] if span is not None else []
    return further(failure, read, also, Seen.of(trace.reply)) if wider else mending(failure, read, also)


def unexplained(trace: Trace) -> bool:
    """Whether nobody knows why it failed: a setup that fails does not say what it was given, a program does."""
    return trace.reply.failure is None or explained(trace.reply.failure) is None


def telling(trace: Trace) -> tuple[bool, int]:
    """The least for the one that tells most of why it failed, and of how it came there: a program more than a call."""
    failure = trace.reply.failure
    return unexplained(trace), -len(failure.calls) if failure is not None else 0


def touches(span: Span, lines: range) -> bool:
    """Whether a part of it is on some lines."""
    return span.line < lines.stop and span.end_line >= lines.start


def _failing(snapshot: Snapshot, span: Span) -> list[Trace]:
    """The examples that fail there with this text; what was invented while it failed only where nothing else does: it
    may fail on with the right edit."""
    found = [trace for trace in snapshot.traces if not trace.older and _fails_at(trace, span)]
    return [trace for trace in found if trace.example.origin not in OURS] or found


def _fails_at(trace: Trace, span: Span) -> bool:
    failure = trace.reply.failure
    return failure is not None and span in (failure.span, *failure.calls)


def _near(snapshot: Snapshot, first: int, last: int, programs: bool = False) -> list[Trace]:
    """The quickest examples, or programs, that ran to their end and through these lines."""
    found = [
        trace
        for trace in snapshot.traces
        if trace.reply.failure is None
        and (trace.example.origin == "program") is programs
        and any(
            one.span.path == snapshot.path and first <= one.span.line <= last
            for facts in (trace.reply.operations, trace.reply.bindings)
            for one in facts
        )
    ]
    return sorted(found, key=lambda trace: trace.reply.ms)[:TRIED]
