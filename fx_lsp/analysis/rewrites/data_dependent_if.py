"""A branch on what a tensor holds stops the device, and breaks compilation and export.

Before:
    if x.sum() > 0:
        y = x * 2
    else:
        y = -x
After:
    y = torch.where(x.sum() > 0, x * 2, -x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.examples._arguments import defaults, parameters
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._branches import Branch, branches, texts
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, spelled
from fx_lsp.model.value import TensorType

_EACH = frozenset({"exp", "sin", "cos", "tanh", "sigmoid", "relu", "gelu", "silu", "abs", "neg", "square", "expm1",
                   "softplus", "sign", "floor", "ceil", "round", "detach", "clone", "add", "sub", "mul", "maximum",
                   "minimum"})  # fmt: skip
"""Functions of each number alone that are defined for all of them, with their gradients: they give what they take, also
where the branch has never run, and nothing that a condition may be there to keep away."""
_OPERATORS = ast.Add | ast.Sub | ast.Mult


def find(flow: Flow) -> Iterator[Found]:
    """Branches whose sides are tensors of the same kind."""
    for branch in branches(flow):
        if is_cheap(flow, branch):
            try:
                one, other = texts(flow.file, branch)
                torch, imported = spelled(flow.file, "torch")
                changes = branch.replaced(flow.file, f"{torch}.where({branch.condition}, {one}, {other})")
                yield Found(branch.node, (*changes, *imported))
            except Unwritable:
                continue


def is_cheap(flow: Flow, branch: Branch) -> bool:
    """Whether both sides may as well be computed, and are of the same dtype and sizes."""
    kinds = [_kind(flow, side, branch.statement) for side in branch.sides]
    return kinds[0] is not None and kinds[0] == kinds[1]


def _kind(flow: Flow, node: ast.expr, at: ast.stmt) -> tuple[str, tuple[int, ...]] | None:
    """Dtype and sizes of what is made of tensors of one dtype, number by number."""
    if isinstance(node, ast.Name):
        tensor = flow.tensor(flow.variable(node.id, at))
        return (tensor.dtype, tensor.shape) if tensor is not None and _is_float(tensor) else None
    parts = [one for one in _parts(flow, node) if not _is_number(flow, one)]
    kinds = [kind for one in parts if (kind := _kind(flow, one, at)) is not None]
    if not parts or len(kinds) < len(parts) or len({dtype for dtype, _ in kinds}) > 1:
        return None
    sizes = [shape for _, shape in kinds]
    shape = max(sizes, key=len)
    return (kinds[0][0], shape) if all(one in ((), shape) for one in sizes) else None


def _is_safe(node: ast.expr) -> bool:
    """Whether it is a number, or kept from zero by one that is added: the condition may be there for it."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else [node]
    numbers = [one.value for one in sides if isinstance(one, ast.Constant)]
    return any(isinstance(one, int | float) and one > 0 for one in numbers)


def _is_number(flow: Flow, node: ast.expr) -> bool:
    """Whether it is a constant, or an attribute of the model that is one in the text."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return isinstance(node, ast.Constant) or (own and isinstance(node, ast.Attribute) and _is_set(flow, node.attr))


def _is_set(flow: Flow, name: str) -> bool:
    """Whether the class sets the attribute to a number, or to an argument whose annotation or default says so."""
    for function in flow.owner.body if flow.owner is not None else ():
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            numbers = {*_numbers(function)}
            values = [
                one.value for one in ast.walk(function)
                if isinstance(one, ast.Assign) and any(ast.unparse(target) == f"self.{name}" for target in one.targets)
            ]  # fmt: skip
            return len(values) == len(flow.file.stores(name)) > 0 and all(
                isinstance(one, ast.Constant) or (isinstance(one, ast.Name) and one.id in numbers) for one in values
            )
    return False


def _numbers(function: ast.FunctionDef) -> Iterator[str]:
    """Arguments that are numbers by what is written there."""
    by_default = defaults(function)
    for one in parameters(function):
        said, default = isinstance(one.annotation, ast.Name) and one.annotation.id, by_default.get(one.arg)
        if said in ("float", "int") or (isinstance(default, ast.Constant) and isinstance(default.value, int | float)):
            yield one.arg


def _is_float(tensor: TensorType) -> bool:
    return tensor.dtype.startswith(("f", "bf"))


def _parts(flow: Flow, node: ast.expr) -> Sequence[ast.expr]:
    """Operands of what computes each number alone; nothing for anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return (node.left, node.right) if _is_safe(node.right) else ()
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        return node.left, node.right
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return (node.operand,)
    func = node.func if isinstance(node, ast.Call) and not node.keywords else None
    if not isinstance(node, ast.Call) or not isinstance(func, ast.Attribute) or func.attr not in _EACH:
        return ()
    if flow.file.dotted(func).startswith("torch."):
        return node.args
    return (func.value, *node.args) if not flow.file.dotted(func) else ()


RULE = Rewrite("data-dependent-if", "Choose with where", find)
