"""An example fails: on the exact expression, with the cause where it is known, else in torch's own words.

An example that the user wrote is the user's statement that it runs, and so is a call of the workspace: its failure is
an error when real tensors failed too.  What fx-lsp tried by itself never makes one: it is told where it ran before
with the same signatures, takes no input but defaults, and nothing else does, or fails whatever it is given.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Container, Iterator

from fx_lsp.analysis.causes import explained
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.inventions import NO_LONGER, REGARDLESS
from fx_lsp.analysis.origins import STATED, documented, stands_alone, way
from fx_lsp.analysis.rewrites._class import module_of
from fx_lsp.analysis.rewrites._file import File, bound
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.analysis.source import parse_expression
from fx_lsp.analysis.spare import OURS
from fx_lsp.model.failure import NO_TENSOR, Failure
from fx_lsp.model.span import Span

NO_OUTCOME = ("start", "cancelled")
"""Stages that say nothing about the example; the server tells of them by itself."""
LIMITS = ("timeout", "crash", "protocol")
"""Stages at which the run was ended, or its answer lost."""
SYNTAX = ("SyntaxError", "IndentationError", "TabError")
_MADE = ("layer-numbers", "size-not-whole")
_OF_CALLS = re.compile(r"unexpected keyword argument|missing \d+ required \w+|takes .*positional arguments? but")
"""Messages of Python about how something is called."""
SEVERITIES = ("error", "warning", "information")


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each place of this file at which traces failed: that of the first with the worst severity."""
    places: dict[Span, list[Problem]] = {}
    for trace in snapshot.traces:
        failure, level = trace.reply.failure, severity(trace, snapshot)
        # What was wrong with an older text, and is run no more, may be right by now.
        if failure is None or level is None or (trace.older and not snapshot.pending):
            continue
        span = _place(trace, failure, snapshot, shown)
        if span is not None:
            cause = explained(failure)
            code, text = (cause.code, cause.message) if cause is not None else (RULE.id, failure.message)
            problem = Problem(span, level, code, _message(failure, text, span), _related(trace, failure, span))
            places.setdefault(span, []).append(problem)
    for problems in places.values():
        yield min(problems, key=lambda problem: SEVERITIES.index(problem.severity))


def severity(trace: Trace, snapshot: Snapshot) -> str | None:
    """How the failure of a trace is shown; None: not at all, since it was our own guess that failed."""
    failure = trace.reply.failure
    if failure is None or failure.stage in NO_OUTCOME or (trace.example.fills and not trace.example.is_further):
        return None
    if trace.example.origin in STATED:
        return "error" if failure.proven else "warning" if failure.stage in LIMITS else "information"
    if trace.example.origin == "program":
        return "error" if failure.proven or _not_made(failure) else None
    if trace.example.origin == "default":
        return "information" if _needs_nothing(trace, failure) and not _superseded(trace, snapshot) else None
    if trace.example.origin == "inferred":
        return "information" if _is_no_guess(trace, failure, snapshot) else None
    if trace.example.origin != "call" or failure.span is None:
        return None
    if _superseded(trace, snapshot) and not _as_written(trace, failure, snapshot):
        return None
    if not failure.proven:
        return None if trace.reply.fallback and explained(failure) is None else "information"  # fake tensors' limits
    # What was cut out of the workspace to build the module may lack something that the whole program has.
    whole = failure.stage == "import" or stands_alone(trace.example)
    sure = failure.stage == "trace" or _after_the_model(trace, failure) or (whole and _not_made(failure))
    return "error" if sure else "warning"


def _not_made(failure: Failure) -> bool:
    """Whether a layer of torch cannot be made of the numbers that it is given, wherever that runs."""
    cause = explained(failure) if failure.stage in ("construct", "import") else None
    return cause is not None and cause.code in _MADE


def _needs_nothing(trace: Trace, failure: Failure) -> bool:
    """Whether the model is called without any argument, and it is known what is wrong: no input of ours is to blame.

    Nor a number of ours, where it cannot be built: then its constructor is given nothing either.
    """
    given = way(trace.example)
    alone = given is not None and given[1] == 0 and not given[2]
    bare = trace.example.call == f"{trace.example.target}()()"
    reached = failure.stage == "trace" or (failure.stage == "construct" and bare)
    return alone and reached and failure.proven and _known(failure)


def _known(failure: Failure) -> bool:
    """Whether it is known what is wrong with the tensors; None may be what nobody gave, or a package is to give."""
    cause = explained(failure)
    tensors = failure.operation is None or _is_operation(failure)
    return cause is not None and cause.code != "none-given" and tensors


def _is_no_guess(trace: Trace, failure: Failure, snapshot: Snapshot) -> bool:
    """Whether it is known what is wrong, and the class ran with what was found for it and no other inputs do now, or
    nothing that was varied of these gets past it.

    Where it cannot be built, one of the two is so: nothing else is kept of it then.
    """
    reasons = {why for name, why in snapshot.unfound if name == trace.example.target}
    known = reasons & {NO_LONGER, REGARDLESS} if failure.stage == "trace" else reasons
    if not known or failure.stage not in ("trace", "construct"):
        return False
    clear = explained(failure) is not None or (REGARDLESS in known and _is_called_wrongly(failure, snapshot))
    return failure.proven and clear and not _superseded(trace, snapshot)


def _is_called_wrongly(failure: Failure, snapshot: Snapshot) -> bool:
    """Whether Python refuses a call by what is written there, none of which is handed on, of a function of torch or a
    layer that nobody else can set."""
    if failure.span is None or failure.span.path != snapshot.path or _OF_CALLS.search(failure.message) is None:
        return False
    call = parse_expression(snapshot.text[slice(*columns(snapshot.text).offsets(failure.span))])
    if not isinstance(call, ast.Call):
        return False
    starred = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    file = file_of(snapshot)
    return not starred and (file.dotted(call.func).startswith("torch.") or _is_layer(file, call.func))


def _is_layer(file: File, func: ast.expr) -> bool:
    """Whether it is `self.name`, bound once in the file, to a layer of torch or of a class of the file."""
    name = func.attr if isinstance(func, ast.Attribute) and getattr(func.value, "id", "") == "self" else ""
    stored = file.stores(name)
    parts = file.top if len(stored) == 1 else ()
    statements = (one for part in parts for one in ast.walk(part) if isinstance(one, ast.Assign))
    values = [value for one in statements for target, value in bound(one) if any(target is place for place in stored)]
    return len(values) == 1 and isinstance(values[0], ast.Call) and bool(module_of(file, values[0]))


def _after_the_model(trace: Trace, failure: Failure) -> bool:
    """Whether the model was built and has run, and what fails after it is known: a loss in another method."""
    return any(use.output is not None for use in trace.reply.modules) and _known(failure)


def _superseded(trace: Trace, snapshot: Snapshot) -> bool:
    """A candidate that we tried is forgotten once another one of the same class ran, where it ran what failed here.

    Not a call in the model's own file that gives other arguments, nor a test that is run with other values; and one in
    documentation that failed half-way by nothing that we made up.
    """
    target, failure, written = trace.example.class_name, trace.reply.failure, trace.example.span
    half_way = failure is not None and failure.stage == "trace"
    told = half_way and documented(trace.example, snapshot.path, snapshot.text)
    own = way(trace.example) if written is not None and written.path == trace.example.scope else None
    return bool(target) and any(
        other.reply.failure is None
        and other.example.scope == trace.example.scope
        and other.example.class_name == target
        and own in (None, way(other.example))
        and not (told and other.example.origin in OURS)
        and (written is None or other.example.span != written)
        and (failure is None or not _is_operation(failure) or _ran(other, failure))
        for other in snapshot.traces
    )


def _as_written(trace: Trace, failure: Failure, snapshot: Snapshot) -> bool:
    """Whether the call says by itself what runs, `Net(3)(torch.randn(2, 8))`, or with `net = Net(3)` before, so that
    nothing of ours is to blame, and it is known what is wrong.  Not in documentation, which may be of another
    version."""
    written = trace.example.span
    known = failure.stage == "trace" and failure.proven and _known(failure)
    if not known or written is None or not stands_alone(trace.example):
        return False
    return not documented(trace.example, snapshot.path, snapshot.text)


def _is_operation(failure: Failure) -> bool:
    """Whether a call of torch is known that failed; an attribute of None is none."""
    return failure.operation is not None and failure.operation.target != NO_TENSOR


def _ran(trace: Trace, failure: Failure) -> bool:
    """Whether it got past the call of torch that failed: another method, or another branch, says nothing of it."""
    return any(one.span == failure.span for one in trace.reply.operations)


def _place(trace: Trace, failure: Failure, snapshot: Snapshot, shown: Container[str]) -> Span | None:
    """The failing expression; when it is in a file that nobody looks at, the call here that led to it.

    Without any, where the example is written, else the class that it is for.  None: it is told elsewhere.
    """
    if failure.error in SYNTAX and failure.span is not None and failure.span.path == snapshot.path:
        return None  # told as a syntax error
    span = nearest(failure, snapshot, shown)
    if span is None:
        return _written(trace, snapshot)
    return span if span.path == snapshot.path else None


def nearest(failure: Failure, snapshot: Snapshot, shown: Container[str]) -> Span | None:
    """The failing expression, else the last call on the way to it, that is in this file or in one that is looked at."""
    places = (failure.span, *reversed(failure.calls))
    return next((one for one in places if one and (one.path == snapshot.path or one.path in shown)), None)


def _written(trace: Trace, snapshot: Snapshot) -> Span | None:
    example = trace.example
    if example.span is not None and example.span.path == snapshot.path and example.origin in STATED:
        return example.span
    if example.scope != snapshot.path:
        return None
    names = {module.name: module.name_span for module in snapshot.modules}
    return names.get(example.target, Span(snapshot.path, 1, 0, 1, 0))


def _message(failure: Failure, text: str, span: Span) -> str:
    if failure.stage == "timeout":
        return f"the example {text}"
    text = text if failure.proven or _not_made(failure) else f"could not be traced: {text}"
    return elsewhere(failure, span) + text


def elsewhere(failure: Failure, span: Span) -> str:
    """Where it happened, as a message at the span begins; empty for one of the same file."""
    if failure.span is None or failure.span.path == span.path:
        return ""
    return f"in {os.path.basename(failure.span.path)}, line {failure.span.line}: "


def _related(trace: Trace, failure: Failure, span: Span) -> tuple[tuple[Span, str], ...]:
    raised = [(failure.span, "raised here")] if failure.span is not None else []
    layer = failure.layer
    built = [(layer.built, f"{layer.called} is made here")] if layer is not None and layer.built is not None else []
    calls = [(call, "called from here") for call in reversed(failure.calls)]
    written = [(trace.example.span, f"the example: {trace.call}")] if trace.example.span is not None else []
    return tuple((place, text) for place, text in dict.fromkeys([*raised, *built, *calls, *written]) if place != span)


RULE = Rule(id="trace-failure", title="An example fails", find=find, any_inputs=True)
