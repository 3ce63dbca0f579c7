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

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, indent, newline, removed, spelled
from fx_lsp.model.value import TensorType

_EACH = frozenset({"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "gelu", "silu", "abs", "neg", "sqrt",
                   "square", "log1p", "expm1", "softplus", "sign", "floor", "ceil", "round", "detach", "clone", "add",
                   "sub", "mul", "div", "maximum", "minimum"})  # fmt: skip
"""Functions of each number alone: they give what they take, also where the branch has never run."""
_OPERATORS = ast.Add | ast.Sub | ast.Mult | ast.Div


def find(flow: Flow) -> Iterator[Found]:
    """Branches whose sides give one name a tensor of the same kind."""
    for node in ast.walk(flow.function):
        test = flow.file.output(node.test) if isinstance(node, ast.If) else None
        if isinstance(node, ast.If) and test is not None and (test.dtype, test.shape) == ("b8", ()):
            sides = _sides(node)
            kinds = [_kind(flow, side, node) for side in sides]
            if len(kinds) == 2 and kinds[0] is not None and kinds[0] == kinds[1]:
                try:
                    yield Found(node, _chosen(flow, node, sides))
                except Unwritable:
                    continue


def _sides(node: ast.If) -> Sequence[ast.expr]:
    """What one name is bound to where it holds, and where not: itself where nothing is said."""
    names: list[str] = []
    values: list[ast.expr] = []
    for part in (node.body, node.orelse):
        alone = part[0] if len(part) == 1 else None
        if isinstance(alone, ast.Assign) and len(alone.targets) == 1 and isinstance(alone.targets[0], ast.Name):
            names.append(alone.targets[0].id)
            values.append(alone.value)
    if len(names) == 1 and not node.orelse:
        return values[0], ast.Name(names[0], ast.Load())
    return values if len({*names}) == 1 else ()


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


def _chosen(flow: Flow, node: ast.If, sides: Sequence[ast.expr]) -> Changes:
    file = flow.file
    before = indent(file, node)
    target = node.body[0].targets[0] if isinstance(node.body[0], ast.Assign) else None
    texts = [file.text(one) or ast.unparse(one) for one in (node.test, *sides)]
    if not isinstance(target, ast.Name) or any("\n" in text for text in texts) or not file.text(node).startswith("if"):
        raise Unwritable
    torch, imported = spelled(file, "torch")
    span, kept = removed(file, node)
    line = f"{before}{target.id} = {torch}.where({', '.join(texts)}){newline(file)}"
    return ((span, kept + line), *imported)


RULE = Rewrite("data-dependent-if", "Choose with where", find)
