"""Functions that ran, followed through their variables: what the value at a place was made of."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from dataclasses import replace

from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, constant, plain
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation
from fx_lsp.model.value import TensorType, Value

SAME = frozenset({"contiguous", "clone", "detach", "to", "float", "half", "bfloat16", "double", "type_as", "identity",
                   "dropout", "dropout_layer"})  # fmt: skip
"""What passes a value on, but for its type and its place, and for what is dropped in training."""
MAX_STEPS = 32
"""Variables followed from one place."""


def flows(snapshot: Snapshot, names: Container[str]) -> Iterator[Flow]:
    """Of the functions in which an operation of one of these names ran."""
    lines = {one.span.line for one in ran(snapshot) if one.target.rpartition(".")[2] in names}
    known = _of(snapshot) if lines else None
    for number, (function, owner) in enumerate(known.functions) if known is not None else ():
        if known is not None and any(function.lineno <= line <= (function.end_lineno or 0) for line in lines):
            if number not in known.flows:
                known.flows[number] = Flow(known.file, function, owner)
            yield known.flows[number]


class _Known:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.file = snapshot, File.of(snapshot)
        self.functions: list[tuple[Function, ast.ClassDef | None]] = [*self.file.functions()]
        self.flows: dict[int, Flow] = {}


_LAST: list[_Known] = []
"""Of the snapshot asked about last: it is too large to be hashed, and every rule asks about the same one."""


def _of(snapshot: Snapshot) -> _Known:
    known = next((one for one in _LAST if one.snapshot is snapshot), None)
    if known is None:
        known = _Known(snapshot)
        _LAST[:] = [known]
    return known


def file_of(snapshot: Snapshot) -> File:
    """What the file says that its functions depend on."""
    return _of(snapshot).file


def modules_of(snapshot: Snapshot) -> frozenset[str]:
    """Qualified names of the classes of this file that ran as modules."""
    uses = (use for trace in snapshot.traces if not trace.older for use in trace.reply.modules)
    return frozenset(use.name for use in uses if use.path == snapshot.path)


def calls_of(flow: Flow, names: Container[str]) -> Iterator[tuple[Term, ast.stmt]]:
    """Operations of these names that ran, layers included by the name of their class, with their statements."""
    for term, statement in flow.roots:
        named = called(flow, term)
        if named.op in names and term.node is not None and flow.file.ran(term.node) is not None:
            yield named, statement


def called(flow: Flow, term: Term) -> Term:
    """The term under the name of the layer's class or of the function, wherever those were made or imported."""
    if term.op.startswith("nn."):
        return replace(term, op=term.op[3:])
    operation = operation_of(flow, term) if term.op == "?call" else None
    if operation is not None and isinstance(term.node, ast.Call):
        own = (dotted(term.node.func) or "").rpartition(".")[2]
        head, _, name = operation.target.rpartition(".")
        if operation.form == "module" or (own == name and head in ("torch", "torch.nn.functional")):
            return replace(term, op=name, args=term.args[1:])
    return term


def made(flow: Flow, term: Term | None, same: Container[str] = SAME) -> Term | None:
    """What gave the value, past variables and past what passes it on."""
    for _ in range(MAX_STEPS):
        if term is None:
            return None
        if term.op == "name":
            term = flow.bound(term)
        elif term.op in same and term.args:
            term = term.args[0]
        else:
            return called(flow, term)
    return None


def softmax_of(flow: Flow, term: Term | None, name: str = "softmax", deep: bool = True) -> Term | None:
    """The softmax that gave the value; where it is the end of a module, what stands for it is the call of that."""
    found = made(flow, term)
    if found is None or found.op == name:
        return found
    layer = layer_of(flow, found) if found.op == "Sequential" else None
    last = layer.args[-1] if layer is not None and layer.args and not layer.keywords else None
    if isinstance(last, ast.Call) and flow.file.dotted(last.func) == f"torch.nn.{_CLASSES[name]}":
        dims = [*last.args[:1], *(one.value for one in last.keywords if one.arg == "dim")]
        return Term(name, (found, *map(_number, dims)), node=found.node)
    inner = _end_of(flow, found, name) if deep else None
    return replace(inner, node=found.node) if inner is not None else None


_CLASSES = {"softmax": "Softmax", "sigmoid": "Sigmoid", "log_softmax": "LogSoftmax"}


def _number(node: ast.expr) -> Term:
    minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    value = node.operand if isinstance(node, ast.UnaryOp) and minus else node
    number = value.value if isinstance(value, ast.Constant) and isinstance(value.value, int) else None
    return constant(-number if minus and number is not None else number, node)


def _end_of(flow: Flow, term: Term, name: str) -> Term | None:
    """The softmax that a class of this file returns, where the term is a call of it and it always returns one."""
    operation, tree = operation_of(flow, term), flow.file.source.tree
    classes = [one for one in (tree.body if tree else ()) if isinstance(one, ast.ClassDef) and one.name == term.op]
    if operation is None or operation.form != "module" or len(classes) != 1:
        return None
    forwards = [one for one in classes[0].body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
    if len(forwards) != 1:
        return None
    inner = Flow(flow.file, forwards[0], classes[0])
    returns = [one for one in ast.walk(forwards[0]) if isinstance(one, ast.Return)]
    values = [(one, one.value) for one in returns if one.value is not None]
    found = [softmax_of(inner, value_of(inner, value, at), name, deep=False) for at, value in values]
    return found[0] if found and None not in found else None


def value_of(flow: Flow, node: ast.expr, statement: ast.stmt) -> Term | None:
    """What a statement makes of an expression that is an operation or a variable."""
    if isinstance(node, ast.Name):
        return flow.variable(node.id, statement)
    return next((term for term, _ in flow.roots if term.node is node), None)


def layer_of(flow: Flow, term: Term) -> ast.Call | None:
    """What `__init__` makes of `torch.nn`, of the call of an attribute."""
    func = term.node.func if isinstance(term.node, ast.Call) else None
    return flow.file.layers(flow.owner).get(func.attr) if isinstance(func, ast.Attribute) else None


def argument(term: Term, place: int, name: str) -> Term | None:
    """What an operation is given, by its place from 0 or its keyword; None where it is given what cannot be told."""
    if any(key == "**" for key, _ in term.named) or any(one.op == "?Starred" for one in term.args):
        return None
    return term.get(place, name)


def dim_of(term: Term, rank: int | None) -> int | None:
    """The dim that an operation is given, counted from the last one."""
    dim = plain(argument(term, 1, "dim"))
    if not isinstance(dim, int) or isinstance(dim, bool) or rank is None or not -rank <= dim < rank:
        return None
    return dim - rank if dim >= 0 else dim


def place_of(flow: Flow, term: Term) -> Span | None:
    """Where it is written."""
    return flow.file.source.span(term.node) if term.node is not None else None


def operation_of(flow: Flow, term: Term | None) -> Operation | None:
    """What ran there."""
    return flow.file.ran(term.node) if term is not None and term.node is not None else None


def inputs_of(flow: Flow, term: Term) -> tuple[TensorType, ...]:
    """The tensors that an operation took, where they always are the same ones; else none."""
    operation = operation_of(flow, term)
    variants = {variant.inputs for variant in operation.variants} if operation is not None else set[tuple[Value, ...]]()
    only = variants.pop() if len(variants) == 1 else ()
    return tuple(one for one in only if isinstance(one, TensorType))
