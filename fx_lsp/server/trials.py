"""Edits are tried before they are offered: in the worker, on the examples that they are for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.causes import said
from fx_lsp.analysis.continued import Left
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.edited_call import edited_call
from fx_lsp.analysis.proposals import Proposal
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.analysis.source import parse_expression
from fx_lsp.model.comparison import COMPARISON, Compared, Comparison, Overlay
from fx_lsp.model.example import Search
from fx_lsp.model.graph_rewrite import Rewritten
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.span import Span
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Key, Trial
from fx_lsp.server.turns import Urgency

NEAR = 3
"""Lines within which an edit may have moved that place."""


@dataclass(frozen=True)
class Verdict:
    """What came of trying an edit."""

    good: bool
    says: str
    """One sentence: what was found."""
    left: Left | None = None
    """Of an edit that was to mend something: what it left."""


def texts(changes: Iterable[tuple[Span, str]], read: Callable[[str], str]) -> dict[str, str]:
    """New texts of the files that are edited, by path."""
    files: dict[str, list[tuple[Span, str]]] = {}
    for span, new in changes:
        files.setdefault(span.path, []).append((span, new))
    return {path: applied(read(path), found) for path, found in files.items()}


async def verdict(
    folder: Folder, proposal: Proposal, read: Callable[[str], str], urgency: Urgency = Urgency.LOOKED_AT
) -> Verdict:
    """Whether it does what it says; `read` gives the text of a file.

    Raises:
        Cancelled: a newer edit cancelled a run.
    """
    edited = texts(proposal.edit.changes, read)
    overlays = tuple(Overlay(path, text) for path, text in sorted(edited.items()))
    good: list[str] = []
    for trace in proposal.traces:
        if not proposal.compared and _never_built(trace):
            found = await _found(folder, trace, Trial(overlays), urgency)
            if not found.good:
                return found
            good.append(found.says)
            continue
        comparison = _comparison(proposal, overlays) if proposal.compared else None
        setup, call = edited_call(trace.example, trace.call, proposal.edit.changes, read)
        key = replace(Key.of(trace), setup=setup, call=call, trial=Trial(overlays, comparison))
        reply = await _reply(folder, key, urgency)
        found = _compared(reply, proposal) if proposal.compared else _runs(reply, trace.reply, edited)
        if found.good and trace.reply.failure is None and proposal.mends:
            found = _silent(proposal, trace, reply, read, edited)
        if not found.good:
            return found
        good.append(found.says)
    return Verdict(True, good[0]) if good else Verdict(False, "no example runs through it")


def _comparison(proposal: Proposal, overlays: tuple[Overlay, ...]) -> Comparison:
    spans = [span for span, _ in proposal.edit.changes if span.path == proposal.span.path]
    lines = tuple((span.line, span.end_line) for span in spans) if proposal.function else ()
    return Comparison(
        overlays, proposal.span.path, proposal.owner, proposal.single, proposal.zeros, proposal.function, lines
    )


def _never_built(trace: Trace) -> bool:
    """Whether nothing that was found for the class could build it: no inputs are known that it would run with."""
    failure, call = trace.reply.failure, parse_expression(trace.example.call)
    bare = isinstance(call, ast.Call) and not call.args and not call.keywords
    return trace.example.origin == "inferred" and bare and failure is not None and failure.stage == "construct"


async def _found(folder: Folder, trace: Trace, trial: Trial, urgency: Urgency) -> Verdict:
    """Whether inputs are found once it can be built."""
    search = Search((trace.example.target,))
    reply = await _reply(folder, Key(trace.example.scope, "", "", search=search, trial=trial), urgency)
    if any(one.name == trace.example.target and one.call and not one.why for one in reply.invented):
        return Verdict(True, "inputs are found that it runs with")
    why = said(reply.failure) if reply.failure is not None else next((one.why for one in reply.invented if one.why), "")
    return Verdict(False, f"no inputs are found that it runs with{f': {why}' if why else ''}")


def _runs(reply: TraceReply, before: TraceReply, edited: Container[str]) -> Verdict:
    left = Left.of(reply)
    if left is None:
        return Verdict(True, "the example runs with it")
    if _got_past(reply, before, edited):
        return Verdict(True, f"the example runs with it as far as it can be followed: {said(left.failure)}")
    return Verdict(False, f"the example still fails: {said(left.failure)}", left)


def _got_past(reply: TraceReply, before: TraceReply, edited: Container[str]) -> bool:
    """Whether an example comes to a place further on, of which only fake tensors say nothing.

    By the first call on the way there that is another one; operations are not counted after a loop that was cut short.
    """
    now, was = reply.failure, before.failure
    if now is None or was is None or now.proven or not reply.fallback or now.span is None or was.span is None:
        return False
    for here, there in zip((*now.calls, now.span), (*was.calls, was.span), strict=False):
        if (here.path, here.line) != (there.path, there.line):
            moved = NEAR if here.path in edited else 0
            return here.path == there.path and here.line > there.line + moved
    return False


def _silent(
    proposal: Proposal, trace: Trace, reply: TraceReply, read: Callable[[str], str], edited: dict[str, str]
) -> Verdict:
    """Of what mends a warning of a model that runs: whether there is one less."""
    path = proposal.span.path
    before = _warned(Snapshot(path, read(path), traces=(trace,)), proposal.rule)
    after = _warned(Snapshot(path, edited.get(path, read(path)), traces=(replace(trace, reply=reply),)), proposal.rule)
    return _runs(reply, trace.reply, edited) if after < before else Verdict(False, "the warning stays")


def _warned(snapshot: Snapshot, code: str) -> int:
    return sum(one.code == code for one in all_problems(snapshot))


def _compared(reply: TraceReply, proposal: Proposal) -> Verdict:
    found = reply.compared
    if found is None:
        why = reply.failure.message if reply.failure is not None else "the comparison gave no answer"
        return Verdict(False, f"it could not be compared: {why}")
    if found.refused and not proposal.unsafe:
        return Verdict(False, f"old weights do not load: {found.refused}")
    if found.why:
        known = proposal.other or (found.rows and bool(proposal.unsafe))
        return Verdict(known and found.runs, found.why)
    kept = "older ones do not load" if found.refused else "older ones load"
    keys = f"; the state dict has other entries, {kept}: {', '.join(found.keys[:4])}" if found.keys else ""
    return Verdict(True, f"{measured(found)}{keys}")


def measured(found: Compared | Rewritten) -> str:
    """How old and new were compared, and how far they are apart."""
    precision = "double" if found.dtype == "f64" else "single"
    apart = f"equal up to {found.difference:.1g}" if found.difference else "equal in every number"
    without = ", gradients of inputs aside" if isinstance(found, Compared) and found.untracked else ""
    return f"{found.checks} runs of old and new in {precision} precision, {apart}{without}"


async def _reply(folder: Folder, key: Key, urgency: Urgency) -> TraceReply:
    return (await folder.runs.answer(key, lambda: _request(folder, key), urgency)).reply


def _request(folder: Folder, key: Key) -> TraceRequest:
    request, trial = folder.request(replace(key, trial=None)), key.trial
    if trial is None:
        return request
    if trial.comparison is not None:
        return replace(request, engine="real", comparison=trial.comparison, seconds=request.seconds * COMPARISON)
    others = tuple(one for one in request.overlays if one.path not in {edited.path for edited in trial.edited})
    return replace(request, overlays=(*others, *trial.edited))
