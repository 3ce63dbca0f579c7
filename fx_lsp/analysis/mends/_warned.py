"""A call that is warned of, with what ran there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.analysis.mends._broken import Broken, Part, operands
from fx_lsp.analysis.mends._statements import innermost, node_at
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import Source, parsed
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation
from fx_lsp.model.value import TensorType


def warned(problem: Problem, snapshot: Snapshot) -> Broken | None:
    """What is warned of, with the tensors of its first run."""
    source = parsed(snapshot.path, snapshot.text)
    first, *related = (_part(source, span, snapshot) for span in (problem.span, *(span for span, _ in problem.related)))
    if first is None:
        return None
    run = next((one.variants[0] for one in _ran(problem.span, snapshot) if one.variants), None)
    values = run.inputs if run is not None else ()
    output = run.output if run is not None else None
    call = Call(first.target.rpartition(".")[2], f"`{first.target}`", tuple(Operand("", one) for one in values), {})
    return Broken(
        problem.code,
        call,
        first.node,
        source,
        first.written,
        related=tuple(one for one in related if one is not None),
        output=output.shape if isinstance(output, TensorType) else None,
        given=_given(source, first.node, snapshot),
    )


def _part(source: Source, span: Span, snapshot: Snapshot) -> Part | None:
    node = node_at(source, span)
    target = next((one.target for one in _ran(span, snapshot)), "")
    return Part(node, target, operands(node, target)) if node is not None else None


def _ran(span: Span, snapshot: Snapshot) -> Iterator[Operation]:
    return (one for trace in snapshot.traces for one in trace.reply.operations if one.span == span)


def _given(source: Source, node: ast.expr | ast.stmt, snapshot: Snapshot) -> tuple[str, ...]:
    function = innermost(source, node)
    given = function.args if function is not None else None
    names = [(one.lineno, one.col_offset, one.arg) for one in (*given.args, *given.kwonlyargs)] if given else []
    bindings = [one for trace in snapshot.traces for one in trace.reply.bindings if one.role == "parameter"]
    places = {
        (one.span.line, one.span.column)
        for one in bindings
        if one.span.path == source.path and all(isinstance(variant.value, TensorType) for variant in one.variants)
    }
    return tuple(name for line, column, name in names if (line, column) in places)
