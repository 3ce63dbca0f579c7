"""`torch.compile` and `torch.jit` change how code runs, not what shapes it makes: here they leave it Python."""

from __future__ import annotations

from typing import Any, Callable

import torch


def without_compilers() -> None:
    """Make the compilers' entry points give back what they were given, for the life of the process.

    `torch.jit.script` does so by itself under `PYTORCH_JIT=0`, which is the switch thrown here.
    """
    torch.jit._state.disable()
    torch.compile = _compile  # type: ignore[assignment]
    torch.jit.trace = torch.jit.trace_module = lambda func, *args, **kwargs: func  # type: ignore[assignment]


def _compile(model: Any = None, **options: Any) -> Any:
    if model is None:
        decorator: Callable[[Any], Any] = lambda function: function  # noqa: E731
        return decorator
    return model
