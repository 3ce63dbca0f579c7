"""Numbers that go through NumPy leave the device and the graph.

Before:
    y = torch.from_numpy(np.tanh(x.detach().numpy()))
After:
    y = torch.tanh(x.detach())
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, spelled

_SAME = {name: name for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh",
                                 "cosh", "tanh", "arctan", "sqrt", "square", "abs", "sign", "floor", "ceil", "trunc",
                                 "round", "maximum", "minimum", "matmul", "logical_and", "logical_or", "isnan",
                                 "isfinite")}  # fmt: skip
_NAMES = {**_SAME, "absolute": "abs", "clip": "clamp", "rint": "round"}
_OF_TENSORS = frozenset({"maximum", "minimum", "matmul", "logical_and", "logical_or"})
"""Take no plain numbers in torch."""
_BACK = frozenset({"torch.from_numpy", "torch.as_tensor", "torch.tensor"})
_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def find(flow: Flow) -> Iterator[Found]:
    """Calls that make tensors of what functions of NumPy make of tensors."""
    for node in ast.walk(flow.function):
        if not isinstance(node, ast.Call) or flow.file.dotted(node.func) not in _BACK:
            continue
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
        reached = any(isinstance(one, ast.expr) and flow.file.ran(one) is not None for one in ast.walk(node))
        if reached and isinstance(inner, ast.Call) and flow.file.dotted(inner.func).startswith("numpy."):
            try:
                torch, imported = spelled(flow.file, "torch")
                text = _in_torch(flow.file, inner, torch)
                yield Found(node, ((flow.file.source.span(node), text), *imported))
            except Unwritable:
                continue


def _in_torch(file: File, node: ast.expr, torch: str) -> str:
    """The same of the tensors themselves.

    Raises:
        Unwritable: torch has no function that is surely the same.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return file.text(node)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = (_in_torch(file, one, torch) for one in (node.left, node.right))
        return f"({left} {_OPERATORS[type(node.op)]} {right})"
    if not isinstance(node, ast.Call) or node.keywords or "\n" in file.text(node):
        raise Unwritable
    name = file.dotted(node.func).removeprefix("numpy.")
    if name in _NAMES and file.dotted(node.func) == f"numpy.{name}":
        if not node.args or (name in _OF_TENSORS and any(isinstance(one, ast.Constant) for one in node.args)):
            raise Unwritable
        return f"{torch}.{_NAMES[name]}({', '.join(_in_torch(file, one, torch) for one in node.args)})"
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "numpy" or node.args:
        raise Unwritable
    return file.text(_on_device(node.func.value))


def _on_device(node: ast.expr) -> ast.expr:
    """Without the way to the processor."""
    func = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else None
    return _on_device(func.value) if isinstance(func, ast.Attribute) and func.attr == "cpu" else node


RULE = Rewrite("numpy-in-forward", "Use torch", find)
