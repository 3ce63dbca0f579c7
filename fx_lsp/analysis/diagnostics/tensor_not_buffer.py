"""A tensor that is a plain attribute: it stays where it was made when the module moves to a GPU, and `forward` fails.

    self.scale = torch.linspace(0, 1, 512)
    ...
    return x * self.scale

Instead: `self.register_buffer("scale", torch.linspace(0, 1, 512), persistent=False)`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._dims import bound, statement_of
from fx_lsp.analysis.diagnostics._flows import flows, modules_of
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType, tensors

_OWN_WAY = frozenset({"_apply", "to", "cuda", "__getattr__", "__setattr__"})
"""Methods with which a class may move its tensors itself."""


_NODES = (ast.BinOp, ast.AugAssign, ast.Call, ast.Subscript)
_SHAPED = frozenset({"unsqueeze", "squeeze", "view", "reshape", "expand", "repeat", "transpose", "permute", "t",
                     "flatten", "contiguous", "clone", "detach"})  # fmt: skip
"""Methods that leave it where it is."""
MAX_STEPS = 16
"""Expressions followed back from one place."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each whose value goes into an operation with another tensor, just as it is."""
    modules = modules_of(snapshot)
    for flow in flows(snapshot, {one.target.rpartition(".")[2] for one in ran(snapshot)}):
        if flow.function.name != "__init__" or flow.owner is None or not flow.function.args.args:
            continue
        if flow.file.names.get(id(flow.owner)) not in modules:
            continue
        if any(getattr(one, "name", "") in _OWN_WAY for one in flow.owner.body):
            continue
        own = flow.function.args.args[0].arg
        for statement in flow.function.body:
            target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
            if (
                not isinstance(statement, ast.Assign)
                or not isinstance(target, ast.Attribute)
                or not _is_made(flow, statement)
            ):
                continue
            if isinstance(target.value, ast.Name) and target.value.id == own and (used := _used(flow, target)):
                message = f"`{own}.{target.attr}` stays behind when the module moves: it is no buffer"
                related = tuple((place, "used here") for place in used[:1])
                yield Problem(flow.file.source.span(statement), "warning", RULE.id, message, related)


def _is_made(flow: Flow, statement: ast.Assign) -> bool:
    """Whether a function of torch makes it there, with dims, and on no device that is asked for."""
    value = _value(flow, statement)
    operation = flow.file.ran(value)
    outputs = [variant.output for variant in operation.variants] if operation is not None else []
    if not outputs or not all(isinstance(one, TensorType) and one.shape for one in outputs):
        return False
    if not _is_constant(flow, value, statement):
        return False
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    return not any(one.arg == "device" for call in calls for one in call.keywords)


def _value(flow: Flow, statement: ast.Assign) -> ast.expr:
    """What it is bound to, past a variable."""
    if isinstance(statement.value, ast.Name):
        found = flow.bound(flow.variable(statement.value.id, statement))
        return found.node if found is not None and found.node is not None else statement.value
    return statement.value


def _is_constant(flow: Flow, node: ast.expr, statement: ast.stmt, steps: int = MAX_STEPS) -> bool:
    """Whether it is such a call, or a method or an operator of one or of a variable that is one."""
    if steps == 0:
        return False
    if isinstance(node, ast.Name):
        place = bound(flow, node.id, statement)  # whatever was written into it since
        since = statement_of(flow, place) if isinstance(place, ast.Name) else None
        if not isinstance(since, ast.Assign) or not isinstance(since.targets[0], ast.Name):
            return False
        inner = [one for one in ast.walk(since.value) if isinstance(one, ast.Call)]
        placed = any(one.arg == "device" for call in inner for one in call.keywords)
        return not placed and _is_constant(flow, since.value, since, steps - 1)
    if isinstance(node, ast.Call):
        head = flow.file.dotted(node.func).rpartition(".")[0]
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if head == "torch":
            return flow.file.ran(node) is not None
        return inner is not None and _is_constant(flow, inner, statement, steps - 1)
    if isinstance(node, ast.BinOp):
        return any(_is_constant(flow, one, statement, steps - 1) for one in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return _is_constant(flow, node.operand, statement, steps - 1)
    return isinstance(node, ast.Compare | ast.Subscript) and _is_constant(
        flow, node.left if isinstance(node, ast.Compare) else node.value, statement, steps - 1
    )


def _used(flow: Flow, target: ast.Attribute) -> list[Span]:
    """Operations of other methods that take the attribute and another tensor; none where it is bound again, in another
    method or further below: to a parameter that is made of it."""
    file, found, name = flow.file, list[Span](), target.attr
    for attribute in file.attributes.get(name, ()):
        inside = flow.owner is not None and flow.owner.lineno <= attribute.lineno <= (flow.owner.end_lineno or 0)
        if not isinstance(attribute.ctx, ast.Load) and not (
            flow.function.lineno <= attribute.lineno <= target.lineno and inside
        ):
            return []
    for function in flow.owner.body if flow.owner is not None else ():
        if isinstance(function, ast.FunctionDef) and function.name != "__init__":
            nodes = (node for node in ast.walk(function) if isinstance(node, _NODES))
            found += (file.source.span(node) for node in nodes if _takes(file, node, name))
    return found


def _takes(file: File, node: ast.expr | ast.stmt, name: str) -> bool:
    """Whether it is an operation with the attribute as one operand and a tensor with dims as another."""
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.AugAssign | ast.Subscript):
        operands = [node.value]
    elif isinstance(node, ast.Call):
        operands = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    else:
        return False
    is_one = any(_is_attribute(one, name) for one in operands)
    operation = file.operations.get(file.source.span(node)) if is_one else None
    if operation is None or operation.form != "function" or operation.target.endswith((".to", "_as")):
        return False
    return all(
        sum(bool(one.shape) for value in each.inputs for one in tensors(value)) > 1 for each in operation.variants
    )


def _is_attribute(node: ast.expr, name: str) -> bool:
    """Whether it is the attribute, a part or another shape of it, or a number times it."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and getattr(node.value, "id", "") == "self"
    if isinstance(node, ast.Subscript):
        return _is_attribute(node.value, name)
    if isinstance(node, ast.BinOp):
        one, other = (node.left, node.right) if isinstance(node.right, ast.Constant) else (node.right, node.left)
        return isinstance(other, ast.Constant) and _is_attribute(one, name)
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in _SHAPED and _is_attribute(func.value, name)


RULE = Rule(id="tensor-not-buffer", title="A tensor that does not move with its module", find=find)
