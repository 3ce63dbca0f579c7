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

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._branches import Branch, branches, texts
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, spelled
from fx_lsp.model.value import TensorType

_EACH = frozenset({"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "gelu", "silu", "abs", "neg", "sqrt",
                   "square", "log1p", "expm1", "softplus", "sign", "floor", "ceil", "round", "detach", "clone", "add",
                   "sub", "mul", "div", "maximum", "minimum"})  # fmt: skip
"""Functions of each number alone: they give what they take, also where the branch has never run."""
_OPERATORS = ast.Add | ast.Sub | ast.Mult | ast.Div


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
    """Dtype and sizes of what is made of tensors that all have them, number by number."""
    if isinstance(node, ast.Name):
        tensor = flow.tensor(flow.variable(node.id, at))
        return (tensor.dtype, tensor.shape) if tensor is not None and _is_float(tensor) else None
    parts = [one for one in _parts(flow, node) if not isinstance(one, ast.Constant)]
    kinds = {_kind(flow, one, at) for one in parts}
    return kinds.pop() if len(kinds) == 1 else None


def _is_float(tensor: TensorType) -> bool:
    return tensor.dtype.startswith(("f", "bf"))


def _parts(flow: Flow, node: ast.expr) -> Sequence[ast.expr]:
    """Operands of what computes each number alone; nothing for anything else."""
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
