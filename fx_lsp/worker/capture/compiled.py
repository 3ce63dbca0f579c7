"""Functions whose bytecode a compiler takes: it knows nothing of probes, and what it makes of them never calls one."""

from __future__ import annotations

import ast
from typing import Union

_COMPILERS = frozenset({"jit", "njit", "cfunc", "vectorize", "guvectorize", "stencil", "jitclass"})
"""Names of decorators."""


def is_compiled(node: Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]) -> bool:
    """Whether a decorator says so: `@njit`, `@numba.jit(cache=True)`."""
    return any(_last_name(decorator) in _COMPILERS for decorator in node.decorator_list)


def _last_name(decorator: ast.expr) -> str:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(function, "attr", None) or getattr(function, "id", "")
