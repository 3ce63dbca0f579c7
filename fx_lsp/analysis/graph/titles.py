"""What is written on the box of a node."""

from __future__ import annotations

from fx_lsp.model.graph import GraphNode

OPERATORS = {
    "add": "+", "sub": "-", "mul": "×", "truediv": "/", "floordiv": "//", "mod": "%", "matmul": "@", "pow": "**",
    "neg": "-", "pos": "+", "invert": "~", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "gt": ">", "lt": "<", "ge": "≥", "le": "≤", "eq": "==", "ne": "≠",
    "iadd": "+=", "isub": "-=", "imul": "×=", "itruediv": "/=", "ifloordiv": "//=", "imod": "%=", "imatmul": "@=",
    "ipow": "**=", "iand": "&=", "ior": "|=", "ixor": "^=", "ilshift": "<<=", "irshift": ">>=",
    "getitem": "[ ]", "setitem": "[ ] =",
}  # fmt: skip
"""By the name in the module `operator`."""


def title(node: GraphNode) -> str:
    """`linear`, `Conv2d`, `+`, `view`, `.T`."""
    if node.op == "output":
        return "output"
    if node.op == "call_module":
        return node.source or node.target
    if node.op != "call_function":
        return node.target
    if node.target in ("getattr", "setattr"):
        return _attribute(node)
    module, _, name = node.target.rpartition(".")
    if module in ("operator", "_operator"):
        return OPERATORS.get(name, name)
    if module.startswith("torch.ops."):
        return node.target.split(".")[3]
    return name


def _attribute(node: GraphNode) -> str:
    """From `x.T` or `getattr(x, 'T')`, as FX spells it."""
    name = node.code.partition(" = ")[2].rstrip(")").strip("'\"").replace("'", ".").replace('"', ".").rpartition(".")[2]
    suffix = " =" if node.target == "setattr" else ""
    return f".{name}{suffix}" if name.isidentifier() else node.target
