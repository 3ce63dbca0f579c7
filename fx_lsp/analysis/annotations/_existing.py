"""Annotations that the user wrote: what is `Tensor` in them gets its shape, everything else stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from fx_lsp.analysis.annotations._axes import Names
from fx_lsp.analysis.annotations._imports import Imports
from fx_lsp.analysis.annotations._types import Types
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._write import Unwritable
from fx_lsp.model.value import Group, Opaque, TensorType, Value

_SEQUENCES = frozenset({"list", "List", "Sequence", "Iterable", "set", "Set"})
_TUPLES = frozenset({"tuple", "Tuple"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping"})
_WORD = re.compile(r"[^\W\d]\w*")


def filled(
    file: File, imports: Imports, node: ast.expr, values: Sequence[Value], names: Names
) -> list[tuple[ast.expr, str]]:
    """What stands in place of each `Tensor` in an annotation.

    Raises:
        Unwritable: it is another one, or does not say what the values are.
    """
    if isinstance(node, ast.Name | ast.Attribute) and file.dotted(node) == "torch.Tensor":
        tensors = [value for value in values if isinstance(value, TensorType)]
        if not tensors or len(tensors) < len(values):
            raise Unwritable
        return [(node, Types(imports, dotted(node) or "").tensor(tensors, names))]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and _is_none(node.right):
        return filled(file, imports, node.left, _some(values), names.aside())
    if not isinstance(node, ast.Subscript):
        raise Unwritable
    form = (dotted(node.value) or "").rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if form == "Optional":
        return filled(file, imports, node.slice, _some(values), names.aside())
    groups = [value for value in values if isinstance(value, Group)]
    items = [item for group in groups for item in group.items]
    if len(groups) < len(values) or not items:
        raise Unwritable
    endless = len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis
    if form in _SEQUENCES or (form in _TUPLES and endless):
        return filled(file, imports, parts[0], items, names.aside())
    if form in _MAPPINGS and len(parts) == 2:
        return filled(file, imports, parts[1], items, names.aside())
    if form in _TUPLES and all(len(group.items) == len(parts) for group in groups):
        columns = zip(*(group.items for group in groups), strict=True)
        return [
            change
            for part, column in zip(parts, columns, strict=True)
            for change in filled(file, imports, part, column, names)
        ]
    raise Unwritable


def texts(node: ast.AST) -> list[str]:
    """What stands in quotes in an annotation, in order: the axes."""
    return [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def words(node: ast.AST) -> set[str]:
    """Names of axes that an annotation may have in its texts."""
    return {word for text in texts(node) for word in _WORD.findall(text)}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _some(values: Sequence[Value]) -> list[Value]:
    return [value for value in values if not (isinstance(value, Opaque) and value.text == "None")]
