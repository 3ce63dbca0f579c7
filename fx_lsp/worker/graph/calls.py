"""Which kind of node a torch function becomes."""

from __future__ import annotations

import operator
from typing import Any, Dict, Tuple

import torch

Spelled = Tuple[str, Any, Tuple[Any, ...], Dict[str, Any]]
"""Op, target, arguments, keyword arguments of an FX node."""

_OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "matmul": operator.matmul,
    "gt": operator.gt, "lt": operator.lt, "ge": operator.ge, "le": operator.le, "eq": operator.eq, "ne": operator.ne,
    "__gt__": operator.gt, "__lt__": operator.lt, "__ge__": operator.ge, "__le__": operator.le,
    "__eq__": operator.eq, "__ne__": operator.ne, "neg": operator.neg, "__invert__": operator.invert,
    "__pow__": operator.pow, "__floordiv__": operator.floordiv, "__mod__": operator.mod,
    "__and__": operator.and_, "__or__": operator.or_, "__xor__": operator.xor,
    "__getitem__": operator.getitem, "__setitem__": operator.setitem,
}  # fmt: skip
"""By the name of the method that torch reports for an operator of Python: `x + y` and `x.add(y)` are one to it."""
_OPERANDS = {"neg": 1, "__invert__": 1, "__setitem__": 3}
_REVERSED = {
    "__rsub__": operator.sub, "__rtruediv__": operator.truediv, "__rdiv__": operator.truediv, "__rpow__": operator.pow,
    "__rfloordiv__": operator.floordiv, "__rmod__": operator.mod, "__rmatmul__": operator.matmul,
}  # fmt: skip


def spell(func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Spelled:
    """`func(*args, **kwargs)` as FX writes it: a method of a tensor is `call_method`, an operator or a property the
    Python function for it, everything else `call_function`."""
    owner = getattr(func, "__self__", None)
    if getattr(func, "__name__", "") in ("__get__", "__set__") and hasattr(owner, "__name__"):
        if func.__name__ == "__get__":
            return "call_function", getattr, (args[0], owner.__name__), {}
        return "call_function", setattr, (args[0], owner.__name__, args[1]), {}
    name = _METHODS.get(func, "")
    if not name or not args:
        return "call_function", func, args, kwargs
    if not kwargs and len(args) == 2 and name in _REVERSED:
        return "call_function", _REVERSED[name], (args[1], args[0]), {}
    if not kwargs and len(args) == _OPERANDS.get(name, 2) and name in _OPERATORS:
        return "call_function", _OPERATORS[name], args, {}
    return "call_method", name, args, kwargs


def _methods() -> Dict[Any, str]:
    """Every function of `torch.Tensor` with its name there; that of several which is its own, if there is one."""
    found: Dict[Any, str] = {}
    for name in dir(torch.Tensor):
        method = getattr(torch.Tensor, name)
        if callable(method) and (method not in found or getattr(method, "__name__", "") == name):
            found[method] = name
    return found


_METHODS = _methods()
