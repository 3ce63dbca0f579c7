"""What a run has seen, as its reply says it."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Optional

from fx_lsp.model.example import OUTSIDE
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.worker import depends
from fx_lsp.worker.arguments import not_given
from fx_lsp.worker.capture.bindings import bindings, reached
from fx_lsp.worker.capture.lineage import lineage
from fx_lsp.worker.capture.modules import module_uses
from fx_lsp.worker.capture.probes import NOTEBOOK
from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.recorder import operations
from fx_lsp.worker.engines import fake
from fx_lsp.worker.failures import Deadline, failure_of
from fx_lsp.worker.lacking import is_of_lazy, of_file_beside
from fx_lsp.worker.weights import NOT_HERE, NOT_IN_HUB
from fx_lsp.worker.wrong_anywhere import is_wrong_anywhere

if TYPE_CHECKING:
    from fx_lsp.worker.run import Run


_OF_ARGUMENTS = re.compile(r"'str' object|'NoneType' object")
"""What is said of arguments that a program is not given: names stand for paths, and None for the others."""
_OF_NOTHING = re.compile("empty|at least one")
"""What is said where something was to be made of many, and there is none."""


def failure_in(run: Run, error: BaseException) -> Failure:
    """What ended a run."""
    error, run.stage = run.workspace.lacked(error, run.stage)
    record, limit = run.current.record, not run.on_data and fake.is_limit(error)
    stage = "timeout" if isinstance(error, Deadline) else "trace" if record.failed_inside else run.stage
    found = failure_of(error, stage, run.request.seconds, run.frames, record)
    # What else ends it may be due to where it runs: data that are not there, arguments that a program lacks.
    lacking = run.program or run.workspace.looked_at.in_vain
    of_python = record.failed.error is not error and not found.operation
    aside = (
        limit
        or run.made_up()
        or run.later.unsure
        or (lacking and of_python and not _is_own(run, error, found.span))
        or (bool(not_given) and _OF_ARGUMENTS.search(found.message) is not None)
        or (bool(NOT_IN_HUB) and stage == "construct" and not found.operation)
        or (bool(NOT_HERE) and (not found.operation or _OF_NOTHING.search(found.message) is not None))
    )
    return replace(found, proven=found.proven and not aside)


def _is_own(run: Run, error: BaseException, span: Optional[Span]) -> bool:
    """Whether the code is wrong wherever it runs, with nothing left out of it before: no statement, no round of a loop
    that trains, no argument."""
    workspace = run.workspace
    incomplete = workspace.missing or workspace.left_out or workspace.survived or workspace.looked_at.in_vain
    if incomplete or not_given or run.later.laps.before is not None:
        return False
    if isinstance(error, NameError) and run.request.scope.endswith(NOTEBOOK):  # of cells in another order
        return False
    return is_wrong_anywhere(error, span, run.frames, workspace.is_ours)


def facts_in(run: Run, failure: Optional[Failure], symbols: depends.Symbols) -> TraceReply:
    """What a run has seen so far, with what ended it."""
    record, facts = run.current.record, run.graph is None
    return TraceReply(
        id=run.request.id,
        engine="real" if run.on_data else "fake",
        ms=(time.perf_counter() - run.began) * 1e3,
        import_ms=run.import_ms,
        bindings=depends.named(bindings(record, run.sites), symbols, run.sites) if facts else (),
        operations=operations(record, run.frames) if facts else (),
        lineage=lineage(record, run.frames) if facts else (),
        modules=module_uses(record) if run.request.call != OUTSIDE else (),
        reached=reached(record, run.sites),
        files=tuple(sorted(run.sites.sources)),
        data=run.workspace.looked_at.besides(tuple(run.sites.sources)),
        absent=run.workspace.looked_at.absent,
        devices=tuple(run.devices.asked),
        fallback="" if run.on_data else run.recorder.limited,
        failure=failure,
        missing=tuple(_missing(run, one) for one in run.workspace.missing if not is_of_lazy(one)),
        graph=run.graph.graph() if run.graph is not None else None,
        defect=run.graph.defect.strip().split("\n")[-1] if run.graph is not None else "",
    )


def _missing(run: Run, error: BaseException) -> Failure:
    """An import that failed; proven to be wrong where it does whatever is installed."""
    found = failure_of(error, "import", 0, run.frames, Record())
    return replace(found, proven=found.span is not None and of_file_beside(error, found.span.path))
