"""A tensor that is a plain attribute stays behind when the module moves to another device.

Before:
    self.mask = torch.tril(torch.ones(64, 64))
After:
    self.register_buffer("mask", torch.tril(torch.ones(64, 64)), persistent=False)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType


def find(flow: Flow) -> Iterator[Found]:
    """Assignments in `__init__` of what a function of torch makes, in a class with others above it: one without is no
    module."""
    if flow.function.name != "__init__" or flow.owner is None or not flow.owner.bases or not flow.function.args.args:
        return
    own = flow.function.args.args[0].arg
    for statement in flow.function.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        name = _attribute(target, own)
        if name and (_is_made(flow, statement.value) or _is_tensor(flow, statement, target)):
            if sum(_attribute(node, own, store=True) == name for node in ast.walk(flow.owner)) > 1:
                continue
            span = flow.file.source.span
            before, after = span(target), span(statement.value)
            start = Span(before.path, before.line, before.column, after.line, after.column)
            end = Span(after.path, after.end_line, after.end_column, after.end_line, after.end_column)
            changes = ((start, f'{own}.register_buffer("{name}", '), (end, ", persistent=False)"))
            yield Found(statement, changes)


def _is_made(flow: Flow, value: ast.expr) -> bool:
    """Whether it is the result of a function of torch, and no `nn.Parameter`."""
    operation = flow.file.ran(value) if isinstance(value, ast.Call) else None
    if operation is None or not isinstance(value, ast.Call) or flow.file.output(value) is None:
        return False
    called = value.func.attr if isinstance(value.func, ast.Attribute) else flow.file.dotted(value.func)
    return called.rpartition(".")[2] == operation.target.rpartition(".")[2]


def _is_tensor(flow: Flow, statement: ast.Assign, target: ast.expr) -> bool:
    """Whether it is computed, or a variable, and always was a tensor there, and was not made as a parameter."""
    values = flow.file.tensors.get(flow.file.source.span(target), ())
    if isinstance(statement.value, ast.BinOp | ast.UnaryOp | ast.Compare):
        return bool(values) and all(isinstance(one, TensorType) for one in values)
    if not isinstance(statement.value, ast.Name):
        return False
    name = statement.value.id
    made = [one.value for one in flow.function.body if isinstance(one, ast.Assign)
            and any(isinstance(to, ast.Name) and to.id == name for to in one.targets)]  # fmt: skip
    layers = any(isinstance(one, ast.Call) and flow.file.dotted(one.func).startswith("torch.nn.") for one in made)
    return bool(values) and bool(made) and not layers and all(isinstance(one, TensorType) for one in values)


def _attribute(node: ast.AST, own: str, store: bool = False) -> str:
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != own:
        return ""
    return node.attr if not store or isinstance(node.ctx, ast.Store) else ""


RULE = Rewrite("tensor-attribute", "Register it as a buffer", find)
