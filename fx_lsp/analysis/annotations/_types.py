"""Values as annotations: `Float[Tensor, "B T 768"]`, `tuple[Int[Tensor, "B"], Bool[Tensor, ""] | None]`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from fx_lsp.analysis.annotations._axes import Names, axes
from fx_lsp.analysis.annotations._imports import Imports
from fx_lsp.analysis.rewrites._write import Unwritable
from fx_lsp.analysis.source import parse_expression
from fx_lsp.model.value import Group, Opaque, TensorType, Value

_KINDS = {
    "f32": "Float", "f64": "Float64", "f16": "Float16", "bf16": "BFloat16", "f8e4m3fn": "Float8e4m3fn",
    "f8e5m2": "Float8e5m2", "f8e4m3fnuz": "Float8e4m3fnuz", "f8e5m2fnuz": "Float8e5m2fnuz",
    "c64": "Complex64", "c128": "Complex128", "b8": "Bool",
    "i64": "Int", "i32": "Int32", "i16": "Int16", "i8": "Int8",
    "u8": "UInt8", "u16": "UInt16", "u32": "UInt32", "u64": "UInt64",
}  # fmt: skip
"""What a dtype is called; the two that are meant where nobody says, by what every one of their kind is called."""
_FAMILIES = {"Float": "f", "Int": "i", "UInt": "u", "Complex": "c", "Integer": "iu", "Inexact": "fc", "Real": "fiu",
             "Num": "fiuc"}  # fmt: skip
"""What several are called, the narrowest first, by the first letters of their dtypes."""
_PLAIN: Mapping[type, str] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
    complex: "complex",
    bytes: "bytes",
    type(None): "None",
}


class Types:
    """Writes annotations for one file."""

    def __init__(self, imports: Imports, tensor: str = "") -> None:
        self._imports = imports
        self._tensor = tensor
        """How the user wrote `Tensor` there."""

    def of(self, values: Sequence[Value], names: Names) -> str:
        """What every value is.

        Raises:
            Unwritable: no annotation says that of all of them.
        """
        tensors = [value for value in values if isinstance(value, TensorType)]
        groups = [value for value in values if isinstance(value, Group)]
        if tensors and len(tensors) == len(values):
            return self.tensor(tensors, names)
        if groups and len(groups) == len(values):
            return self._group(groups, names)
        nothing = [value for value in values if isinstance(value, Opaque) and value.text == "None"]
        if nothing and len(nothing) < len(values):
            return f"{self.of([value for value in values if value not in nothing], names.aside())} | None"
        return " | ".join(dict.fromkeys(map(_plain, values)))

    def tensor(self, tensors: Sequence[TensorType], names: Names) -> str:
        """`Float[Tensor, "B 8"]`."""
        kind = self._imports.spelled("jaxtyping", _kind({tensor.dtype for tensor in tensors}))
        tensor = self._tensor or self._imports.spelled("torch", "Tensor")
        return f'{kind}[{tensor}, "{axes(tensors, names)}"]'

    def _group(self, groups: Sequence[Group], names: Names) -> str:
        forms, items = {group.form for group in groups}, [item for group in groups for item in group.items]
        if len(forms) != 1 or any(group.omitted for group in groups) or not items:
            raise Unwritable
        (form,) = forms
        if form == "tuple":
            lengths = {len(group.items) for group in groups}
            if len(lengths) > 1:
                return f"tuple[{self.of(items, names.aside())}, ...]"
            columns = zip(*(group.items for group in groups), strict=True)
            return f"tuple[{', '.join(self.of(column, names) for column in columns)}]"
        if form == "dict":
            keys = {_plain(Opaque(key)) for group in groups for key in group.keys}
            return f"dict[{' | '.join(sorted(keys))}, {self.of(items, names.aside())}]"
        if form in ("list", "set"):
            return f"{form}[{self.of(items, names.aside())}]"
        raise Unwritable


def _kind(dtypes: set[str]) -> str:
    if len(dtypes) == 1 and (kind := _KINDS.get(next(iter(dtypes)))) is not None:
        return kind
    letters = {dtype[0] if dtype[:2] != "bf" else "f" for dtype in dtypes if dtype in _KINDS and dtype != "b8"}
    if len(dtypes) == 1 or not letters or any(dtype not in _KINDS or dtype == "b8" for dtype in dtypes):
        return "Shaped"
    return next(name for name, family in _FAMILIES.items() if letters <= set(family))


def _plain(value: Value) -> str:
    """The type of what is no tensor.

    Raises:
        Unwritable: it is not one of Python's own.
    """
    node = parse_expression(value.text) if isinstance(value, Opaque) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    if not isinstance(node, ast.Constant) or type(node.value) not in _PLAIN:
        raise Unwritable
    return _PLAIN[type(node.value)]
