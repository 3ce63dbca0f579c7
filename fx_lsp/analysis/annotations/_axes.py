"""The axes of tensors as jaxtyping writes them: `B T 768`."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from fx_lsp.analysis.source import parse_expression
from fx_lsp.model.value import TensorType

_UNKNOWN = re.compile(r"u\d+")
_ARITHMETIC = (
    ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.Name, ast.Load,
    ast.Constant,
)  # fmt: skip
HIGHEST = 9
"""Power of a dim: the checker works it out in the user's program, whatever a run said."""
ANY = "_"


class Names:
    """Of the axes of one signature, in the order in which the checker comes by them."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        """Those that have a size by then: an expression may use them."""
        self.taken: set[str] = set()
        """Those that mean something else there."""

    def aside(self) -> Names:
        """For what the checker may not look at: names that occur there for the first time are not bound after it."""
        other = Names()
        other.bound, other.taken = set(self.bound), self.taken
        return other


def axes(tensors: Sequence[TensorType], names: Names) -> str:
    """What is true of all of them: a size, a name, `_` where it differs, `...` where their ranks do."""
    columns = [list(zip(*dims, strict=True)) for dims in _by_rank(tensors)]
    if len(columns) == 1:
        return " ".join(_axis(column, names) for column in columns[0])
    last: list[str] = []
    for columns_there in zip(*(reversed(one) for one in columns), strict=False):
        same = _axis([dim for column in columns_there for dim in column], names)
        if same == ANY:
            break
        last.append(same)
    return " ".join(["...", *reversed(last)])


_Dim = tuple[str | None, int]


def _by_rank(tensors: Sequence[TensorType]) -> list[list[list[_Dim]]]:
    found: dict[int, list[list[_Dim]]] = {}
    for tensor in tensors:
        names = tensor.names or (None,) * len(tensor.shape)
        found.setdefault(len(tensor.shape), []).append([*zip(names, tensor.shape, strict=True)])
    return list(found.values())


def _axis(column: Sequence[_Dim], names: Names) -> str:
    """One dim of all of them."""
    texts = {name for name, _ in column}
    text = texts.pop() if len(texts) == 1 else ""
    if text is None:
        sizes = {size for _, size in column}
        return str(sizes.pop()) if len(sizes) == 1 else ANY
    if text.isidentifier():
        if _UNKNOWN.fullmatch(text) or text.startswith("_") or text in names.taken:
            return ANY
        names.bound.add(text)
        return text
    return _expression(text, names) or ANY


def _expression(text: str, names: Names) -> str | None:
    """Arithmetic with names that have sizes by then: the checker works it out there and then."""
    tree = parse_expression(text)
    nodes = list(ast.walk(tree)) if tree is not None else []
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    numbers = all(type(node.value) is int for node in nodes if isinstance(node, ast.Constant))
    plain = all(isinstance(node, _ARITHMETIC) for node in nodes) and numbers and all(map(_is_low, nodes))
    return "".join(text.split()) if plain and used and used <= names.bound - names.taken else None


def _is_low(node: ast.AST) -> bool:
    """Whether it is no power of anything but a small number."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)):
        return True
    return isinstance(node.right, ast.Constant) and isinstance(node.right.value, int) and node.right.value <= HIGHEST
