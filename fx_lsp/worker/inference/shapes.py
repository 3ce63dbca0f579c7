"""Which expressions in the body of a function have the shape of one of its parameters."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional

from torch import nn

from fx_lsp.worker.inference.held import Held
from fx_lsp.worker.inference.live import integer, keeps_shape

KEPT = frozenset(["float", "to", "contiguous", "clone", "type", "type_as", "detach", "long"])
"""Methods that keep the shape of a tensor."""
_ALIKE = frozenset(
    (
        *("relu", "gelu", "dropout", "silu", "tanh", "sigmoid", "normalize"),
        *("randn_like", "rand_like", "zeros_like", "ones_like", "empty_like"),
    )
)
"""Functions that give something of the shape of their first argument."""


class Shapes(Held):
    """Of a method of an instance; what its names are bound to, somebody else says."""

    def __init__(self, instance: Any, names: List[str]) -> None:
        self.alias = {name: name for name in names}
        """Names that still hold the input, or something of its shape."""
        self.given_back: Dict[ast.Call, Optional[str]] = {}
        """Of calls of methods, the input whose shape they give."""
        super().__init__(instance)

    def origin(self, value: ast.expr) -> Optional[str]:
        """The parameter whose shape the value has."""
        if isinstance(value, ast.Name):
            return self.alias.get(value.id)
        if isinstance(value, ast.BinOp) and not isinstance(value.op, ast.MatMult):
            return self.origin(value.left) or self.origin(value.right)
        if isinstance(value, ast.Call):
            module = self.module(value.func)
            if isinstance(module, nn.Module) and value.args and keeps_shape(module):
                return self.origin(value.args[0])
            name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
            if isinstance(value.func, ast.Attribute) and name in KEPT:
                return self.origin(value.func.value)
            if name in _ALIKE and value.args:
                return self.origin(value.args[0])
            return self.given_back.get(value)
        return None

    def turned(self, value: Optional[ast.expr]) -> Optional[str]:
        """The parameter of which the value has the first two dims in each other's place."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        places = tuple(map(integer, value.args))
        turns = (value.func.attr, places) in (("transpose", (0, 1)), ("transpose", (1, 0)), ("permute", (1, 0, 2)))
        return self.origin(value.func.value) if turns else None

    def shape_of(self, value: ast.expr) -> Optional[str]:
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            return self.origin(value.value)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size":
            return self.origin(value.func.value) if not value.args else None
        return None
