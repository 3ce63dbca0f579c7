"""A change in place of what the backward pass needs: training stops with "modified by an inplace operation".

    h = self.fc(x)  # keeps x for the gradient of its weight
    x += h

Instead: a new tensor, `x = x + h`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import called, file_of, flows, place_of
from fx_lsp.analysis.diagnostics._gradients import KEEPS_INPUT, LEARNS, needs_gradient
from fx_lsp.analysis.diagnostics._lineage import besides
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow, Key
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span

_NO_CHANGE = frozenset({"detach_", "requires_grad_", "squeeze_", "unsqueeze_", "transpose_", "t_", "share_memory_"})
_NODE = re.compile(r"(\w+?)Backward\d*")
"""A node of the backward pass, by the operation."""
_UNTRAINED = ("no_grad", "inference_mode", "training", "grad_enabled", "requires_grad")
"""What says that there may be no backward pass."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each change that ran after what keeps the value, and for each after which torch says so."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    """What a result was made with, where its backward pass would find something changed."""
    file = file_of(snapshot)
    for trace in snapshot.traces:
        for one in trace.reply.lineage if not trace.older else ():
            name = _NODE.fullmatch(one.made)
            if name is not None and one.span.path == snapshot.path:
                by = name[1].removeprefix("Native")
                message = f"this is changed in place, and the gradient of `{by}` needs it as it was"
                yield Problem(_statement(file, one.span), "warning", RULE.id, message)


def _statement(file: File, place: Span) -> Span:
    """That which binds or changes what stands there."""
    for node in ast.walk(file.source.tree) if file.source.tree is not None else ():
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(file.source.span(target) == place for target in targets):
                return file.source.span(node)
    return place


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    if "requires_grad" in snapshot.text:
        return  # of a frozen layer nothing is kept, as a run shows
    changes = {one.target.rpartition(".")[2] for trace in snapshot.traces for one in trace.reply.operations}
    for flow in flows(snapshot, {one for one in changes if one.endswith("_") and not one.endswith("__")} - _NO_CHANGE):
        if flow.owner is not None and not any(map(_untrained, flow.function.decorator_list)):
            yield from _in(flow)


def _in(flow: Flow) -> Iterator[Problem]:
    kept = [*_kept(flow)]
    for statement, key in _changes(flow):
        for wanted, by, first in kept:
            before = (first.lineno, first.col_offset) <= (statement.lineno, statement.col_offset)
            if wanted == key and before and _always_before(flow, first, statement):
                place, source = flow.file.source.span(statement), place_of(flow, by)
                name = called(flow, by).op
                message = f"`{key[0]}` is changed in place, and the gradient of `{name}` needs it as it was"
                yield Problem(place, "warning", RULE.id, message, ((source, "kept here"),) if source else ())
                break


def _kept(flow: Flow) -> Iterator[tuple[Key, Term, ast.stmt]]:
    """Variables that operations keep for their gradient as they were given, with the operation and its statement."""
    for term, statement in flow.roots:
        named = called(flow, term)
        first = named.args[0] if named.args else None
        if first is None or first.op != "name" or term.node is None or flow.file.ran(term.node) is None:
            continue
        if named.op in KEEPS_INPUT and (named.op in LEARNS or needs_gradient(flow, first)):
            yield first.value, term, statement


def _changes(flow: Flow) -> Iterator[tuple[ast.stmt, Key]]:
    """Statements that changed a tensor in place, with the variable as it was before."""
    for definition in flow.definitions.values():
        statement = definition.statement
        if isinstance(statement, ast.AugAssign):
            name = statement.target.id if isinstance(statement.target, ast.Name) else ""
            operation = flow.file.operations.get(flow.file.source.span(statement))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            func = statement.value.func
            name = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
            operation = flow.file.ran(statement.value)
        else:
            continue
        target = operation.target.rpartition(".")[2] if operation is not None else ""
        if name and target.endswith("_") and not target.endswith("__") and target not in _NO_CHANGE:
            yield statement, flow.variable(name, statement).value


def _always_before(flow: Flow, first: ast.stmt, statement: ast.stmt) -> bool:
    """Whether the first has run wherever the second does, and there may be a backward pass."""
    block, node = flow.block.get(id(first)), statement
    found = False
    while node is not None and node is not flow.function:
        found = found or flow.block.get(id(node)) is block
        head = getattr(node, "test", None) or (node if isinstance(node, ast.With) else None)
        if isinstance(node, ast.If | ast.With) and head is not None and _untrained(head):
            return False
        node = flow.parents.get(id(node))
    return found


def _untrained(node: ast.AST) -> bool:
    head = [one.context_expr for one in node.items] if isinstance(node, ast.With) else [node]
    names = {getattr(one, "attr", getattr(one, "id", "")) for part in head for one in ast.walk(part)}
    return any(word in name for name in names if isinstance(name, str) for word in _UNTRAINED)


RULE = Rule(id="in-place-on-saved", title="A change of what the backward pass needs", find=find)
