"""Annotations of tensors read as example tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from fx_lsp.analysis.names import Definition, External, dotted, resolve
from fx_lsp.analysis.source import parse_expression
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import DTYPES

_KINDS = {
    "Float": "f32", "Float16": "f16", "BFloat16": "bf16", "Float32": "f32", "Float64": "f64", "Inexact": "f32",
    "Real": "f32", "Num": "f32", "Shaped": "f32", "Complex": "c64", "Complex64": "c64", "Complex128": "c128",
    "Bool": "b8", "Int": "i64", "Integer": "i64", "Int8": "i8", "Int16": "i16", "Int32": "i32", "Int64": "i64",
    "Float8e4m3fn": "f8e4m3fn", "Float8e5m2": "f8e5m2", "Float8e4m3fnuz": "f8e4m3fnuz", "Float8e5m2fnuz": "f8e5m2fnuz",
    "UInt": "u8", "UInt8": "u8", "UInt16": "u16", "UInt32": "u32", "UInt64": "u64",
}  # fmt: skip
"""Names of annotation classes by what they accept."""

_TORCH = {
    **{full: short for short, full in DTYPES.items()},
    "float": "f32",
    "int": "i64",
    "long": "i64",
    "double": "f64",
}
_DIM = re.compile(r"[^\W\d]\w*")


class Shapes:
    """Reads the annotations of one file; `sizes` are known sizes of dims by name."""

    def __init__(self, workspace: Workspace, path: str, sizes: Mapping[str, int]) -> None:
        self.workspace, self.path, self.sizes = workspace, path, sizes

    def tensor(self, node: ast.expr, hops: int = 4) -> str | None:
        """`f32[b, c]`; None when the annotation gives no shape."""
        if hops <= 0:
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            quoted = parse_expression(node.value)
            return self.tensor(quoted, hops - 1) if quoted is not None else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.tensor(node.left, hops - 1) or self.tensor(node.right, hops - 1)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._alias(node, hops)
        return self._subscript(node, hops) if isinstance(node, ast.Subscript) else None

    def _alias(self, node: ast.Name | ast.Attribute, hops: int) -> str | None:
        meaning = resolve(self.workspace, self.path, dotted(node) or "")
        if not isinstance(meaning, Definition) or not isinstance(meaning.node, (ast.Assign, ast.AnnAssign)):
            return None
        value = meaning.node.value
        inner = Shapes(self.workspace, meaning.path, self.sizes)
        return inner.tensor(value, hops - 1) if value is not None else None

    def _subscript(self, node: ast.Subscript, hops: int) -> str | None:
        meaning = resolve(self.workspace, self.path, dotted(node.value) or "")
        if not isinstance(meaning, External):
            return None
        kind = meaning.name.rpartition(".")[2]
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if kind == "Optional":
            return self.tensor(parts[0], hops - 1)
        if kind == "TensorType":
            return self._listed(parts)
        if len(parts) < 2:
            return None
        texts = [p.value for p in parts[1:] if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        if kind == "Annotated":
            return next((text for part in texts if (text := self._written("f32", part)) is not None), None)
        dtype = _KINDS.get(kind)
        return self._written(dtype, texts[0]) if dtype is not None and texts else None

    def _written(self, dtype: str, text: str) -> str | None:
        if (match := re.fullmatch(r"\s*(\w+)\[(.*)\]\s*", text)) and match[1] in DTYPES:
            return text.strip()
        dims = [self._dim(part) for part in text.split()]
        return f"{dtype}[{', '.join(dim for dim in dims if dim)}]" if None not in dims else None

    def _dim(self, part: str) -> str | None:
        """One axis; empty for one that may be left out."""
        if part == "...":
            return "B"
        part = part.rpartition("=")[2].lstrip("#*?")
        if part in ("_", ""):
            return "8"
        if part.isdigit():
            return part
        if _DIM.fullmatch(part):
            return f"{part}:{self.sizes[part]}" if part in self.sizes else part
        axis = parse_expression(part)
        named = axis is not None and any(isinstance(node, ast.Name) for node in ast.walk(axis))
        return part if named else None

    def _listed(self, parts: list[ast.expr]) -> str | None:
        """`TensorType["b", 3, "c": 4, torch.float32]`."""
        dtype = "f32"
        dims: list[str | None] = []
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                dims.append(self._dim(part.value))
            elif isinstance(part, ast.Constant) and type(part.value) is int:
                dims.append(str(part.value))
            elif isinstance(part, ast.Constant) and part.value is Ellipsis:
                dims.append("B")
            elif isinstance(part, ast.UnaryOp):
                dims.append("8")
            elif isinstance(part, ast.Slice) and isinstance(part.upper, ast.Constant):
                dims.append(str(part.upper.value))
            elif (name := (dotted(part) or "").rpartition(".")[2]) in _TORCH:
                dtype = _TORCH[name]
        return f"{dtype}[{', '.join(dim for dim in dims if dim)}]" if None not in dims else None
