"""Whether a result is a view or a copy, whether it is contiguous, and which expression made it not so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.mends._statements import node_at
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import TensorType, tensors

MAX_STEPS = 50
"""Expressions that are followed back."""
MAX_WRITTEN = 60
"""Characters of the expression that made it so."""

_MOVES = frozenset({
    "__getitem__", "bfloat16", "cat", "clone", "contiguous", "cpu", "cuda", "double", "flatten", "flip", "float",
    "float16", "gather", "half", "index_select", "int", "long", "ravel", "repeat", "repeat_interleave", "reshape",
    "reshape_as", "roll", "stack", "tile", "to", "type", "type_as",
})  # fmt: skip
"""Functions that give what they got in another order or type: of these it says something that memory is new."""


def memory(variant: OperationVariant, target: str) -> Iterator[str]:
    """Whose memory the output of a function is."""
    name = target.rpartition(".")[2]
    in_place = (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")
    if variant.view is not None and 0 <= variant.view < len(variant.inputs):
        which = "its input" if len(variant.inputs) == 1 else f"input {variant.view + 1}"
        yield f"{which}, changed in place" if in_place else f"view of {which}"
    elif variant.view == -1 and name in _MOVES:
        yield "copy"


def layout(variant: OperationVariant, since: str) -> Iterator[str]:
    """The strides of what is not contiguous; `since`: where it became so."""
    for stride in dict.fromkeys(tensor.stride for tensor in tensors(variant.output) if tensor.stride):
        yield f"not contiguous{since}, strides {code(str(stride))}"


def since(snapshot: Snapshot, operation: Operation) -> str:
    """Where the output of an operation became not contiguous, in words; empty where nobody can tell, or nothing did."""
    if not _scattered(operation):
        return ""
    made = _made(snapshot, operation.span)
    if made is None:
        return ""
    if made == operation.span:
        return " from here on"
    places, one_line = columns(snapshot.text), made.line == made.end_line
    start, end = (places.offset(made.line, column) for column in (made.column, made.end_column))
    text = snapshot.text[start:end] if one_line else ""
    where = f" on line {made.line}" if made.line != operation.span.line else ""
    return f" since {code(text)}{where}" if 0 < len(text) <= MAX_WRITTEN else f" since line {made.line}"


def _scattered(operation: Operation) -> bool:
    outputs = [variant.output for variant in operation.variants]
    return any(isinstance(output, TensorType) and output.stride for output in outputs)


def _made(snapshot: Snapshot, span: Span) -> Span | None:
    """The expression with an output that is not contiguous, of inputs that are, which another one goes back to."""
    file = File.of(snapshot)
    node = node_at(file.source, span)
    inside = [one for one in file.functions() if one[0].lineno <= span.line <= (one[0].end_lineno or span.line)]
    if not inside or not isinstance(node, ast.expr):
        return None
    flow = Flow(file, *inside[-1])
    statement = _statement(flow, node)
    for _ in range(MAX_STEPS):
        operation = file.ran(node)
        if operation is None or statement is None or not _scattered(operation):
            return None
        if any(variant.scattered for variant in operation.variants):
            return operation.span
        taken = [*_operands(flow, node, statement)]
        node, statement = next((one for one in taken if (op := file.ran(one[0])) and _scattered(op)), (node, None))
    return None


def _operands(flow: Flow, node: ast.expr, statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.stmt]]:
    """Expressions whose values it takes, through the variables that hold them."""
    for inner in _parts(node):
        if isinstance(inner, ast.Name):
            term = flow.variable(inner.id, statement)
            definition = flow.definitions.get(term.value)
            if definition is not None and isinstance(definition.term.node, ast.expr):
                yield definition.term.node, definition.statement
        else:
            yield inner, statement


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        yield from node.args
        yield from (keyword.value for keyword in node.keywords)
    else:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _statement(flow: Flow, node: ast.AST) -> ast.stmt | None:
    """The statement that an expression is part of."""
    while node is not flow.function and id(node) in flow.parents:
        if isinstance(node, ast.stmt):
            return node
        node = flow.parents[id(node)]
    return None
