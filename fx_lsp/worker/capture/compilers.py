"""`torch.compile` and `torch.jit` change how code runs, not what shapes it makes: here they leave it Python."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import wraps
from types import FunctionType, MethodType
from typing import Any, Callable, Iterator

import torch

_COND = getattr(torch, "cond", None)
_COMPILE = torch.compile
_OPERATORS = "torch._higher_order_ops."
"""Module of those that compile what they are given where nothing else does."""


def without_compilers() -> None:
    """Make the compilers' entry points leave what they are given as it is, for the life of the process.

    `torch.jit.script` does so by itself under `PYTORCH_JIT=0`, which is the switch thrown here.
    """
    torch.jit._state.disable()
    torch.compile = _compile  # type: ignore[assignment]
    if _COND is not None:
        torch.cond = wraps(_COND)(_cond)  # type: ignore[assignment]
    torch.jit.trace = torch.jit.trace_module = lambda func, *args, **kwargs: func  # type: ignore[assignment]


@contextmanager
def uncompiled() -> Iterator[None]:
    """Meanwhile `torch.compile` leaves what it is given as it is: a model is asked about before it is compiled."""
    original = torch.compile
    torch.compile = _compile  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.compile = original  # type: ignore[assignment]


@contextmanager
def real_branches() -> Iterator[None]:
    """`torch.cond` as it is: it compiles both of its sides, and refuses what does not fit together."""
    if _COND is None:
        yield
        return
    before, torch.cond = torch.cond, _COND
    try:
        yield
    finally:
        torch.cond = before


def _cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()) -> Any:
    """The side that is taken, run as Python."""
    return true_fn(*operands) if pred else false_fn(*operands)


def _compile(model: Any = None, **options: Any) -> Any:
    if sys._getframe(1).f_globals.get("__name__", "").startswith(_OPERATORS):
        return _COMPILE(model, **options)
    if model is None:
        return _compile
    return _wrapped(model) if isinstance(model, (FunctionType, MethodType)) else model


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """As torch's own is: a function of any arguments, which code that counts parameters sees."""

    @wraps(function)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return compiled
